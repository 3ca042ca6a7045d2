//! The native methods of `dev.ouro.bridge.NativeApi`, and the way back into Java.
//!
//! - Errors become what `NativeApi.error(code, message, retryAfterMs)` makes of them; a pending Java exception wins.
//! - A thread that calls Java is attached until it ends, because to attach costs more than to call; as a daemon, because the
//!   JVM would wait with its exit for any other.
//! - Only the class that declares the native methods and the class of the host's object are ever used, both as Java hands
//!   them in: nothing is looked up by name, which a thread of ours could do with the wrong class loader only.

#![allow(unsafe_code, reason = "JNI is an interface of raw pointers")]
#![allow(unreachable_pub, reason = "the JVM reaches these functions by their names")]

use std::{mem::MaybeUninit, ptr, sync::Arc, time::Duration};

use jni::{
    Env, EnvUnowned, JavaVM, jni_sig, jni_str,
    objects::{Global, JByteArray, JClass, JMethodID, JObject, JString, JThrowable, JValue},
    signature::{Primitive, ReturnType},
    strings::JNIString,
    sys::{
        JNI_FALSE, JNI_TRUE, JNI_VERSION_1_8, JNIEnv, JavaVMAttachArgs, jboolean, jchar, jint,
        jlong, jvalue,
    },
};
use ouro_core::{Error, ErrorKind};

use crate::{
    api::{self, Channel},
    error::{BridgeError, Result},
    host::{Host, Message},
    panics::guarded,
};

/// UTF-16 code units that are copied to the stack; longer chunks go in pieces, which a chunk may be cut into anywhere.
const REGION: usize = 512;
/// UTF-16 code units that two numbers hold.
const SHORT: usize = 8;

/// The host's object and its methods.
struct JavaHost {
    vm: JavaVM,
    callbacks: Global<JObject<'static>>,
    on_tool_call: JMethodID,
    on_tool_cancel: JMethodID,
    on_event: JMethodID,
    on_log: JMethodID,
}

impl JavaHost {
    fn new(env: &mut Env<'_>, callbacks: &JObject<'_>) -> jni::errors::Result<Self> {
        let class = env.get_object_class(callbacks)?;
        Ok(Self {
            vm: env.get_java_vm()?,
            callbacks: env.new_global_ref(callbacks)?,
            on_tool_call: env.get_method_id(
                &class,
                jni_str!("onToolCall"),
                jni_sig!("(JLjava/lang/String;Ljava/lang/String;[B)V"),
            )?,
            on_tool_cancel: env.get_method_id(
                &class,
                jni_str!("onToolCancel"),
                jni_sig!("(J)V"),
            )?,
            on_event: env.get_method_id(&class, jni_str!("onEvent"), jni_sig!("([B)V"))?,
            on_log: env.get_method_id(
                &class,
                jni_str!("onLog"),
                jni_sig!("(ILjava/lang/String;Ljava/lang/String;)V"),
            )?,
        })
    }

    /// Attaches this thread if it isn't. Where that fails the JVM is going down, and there is nobody to tell.
    fn attach(&self) {
        if self.vm.is_thread_attached().unwrap_or(true) {
            return;
        }
        let (vm, mut env) = (self.vm.get_raw(), ptr::null_mut());
        let name = c"ouro".as_ptr().cast_mut();
        let mut arguments =
            JavaVMAttachArgs { version: JNI_VERSION_1_8, name, group: ptr::null_mut() };
        // SAFETY: the JVM is there as long as this library; it copies the arguments.
        unsafe {
            ((**vm).v1_4.AttachCurrentThreadAsDaemon)(
                vm,
                &raw mut env,
                (&raw mut arguments).cast(),
            );
        }
    }

    /// Calls one method. What it throws is cleared: the host has no caller that could catch it, and the next message must
    /// not suffer.
    fn call_back(&self, env: &mut Env<'_>, message: &Message) -> jni::errors::Result<()> {
        match message {
            Message::ToolCall { call_id, project, name, arguments } => {
                let (project, name) = (env.new_string(project)?, env.new_string(name)?);
                let arguments = env.byte_array_from_slice(arguments.as_bytes())?;
                let arguments = [
                    long(*call_id),
                    jvalue { l: project.as_raw() },
                    jvalue { l: name.as_raw() },
                    jvalue { l: arguments.as_raw() },
                ];
                self.call(env, self.on_tool_call, &arguments)
            }
            Message::ToolCancel { call_id } => {
                self.call(env, self.on_tool_cancel, &[long(*call_id)])
            }
            Message::Event { json } => {
                let json = env.byte_array_from_slice(json.as_bytes())?;
                self.call(env, self.on_event, &[jvalue { l: json.as_raw() }])
            }
            Message::Log { level, target, message } => {
                let (target, message) = (env.new_string(target)?, env.new_string(message)?);
                let arguments = [
                    jvalue { i: jint::from(*level) },
                    jvalue { l: target.as_raw() },
                    jvalue { l: message.as_raw() },
                ];
                self.call(env, self.on_log, &arguments)
            }
        }
    }

    fn call(
        &self,
        env: &mut Env<'_>,
        method: JMethodID,
        arguments: &[jvalue],
    ) -> jni::errors::Result<()> {
        let kind = ReturnType::Primitive(Primitive::Void);
        // SAFETY: the method's id came from this object's class with the signature that these arguments fit.
        unsafe { env.call_method_unchecked(&self.callbacks, method, kind, arguments)? };
        Ok(())
    }
}

fn long(id: u64) -> jvalue {
    jvalue { j: id.cast_signed() }
}

impl Host for JavaHost {
    fn tell(&self, message: Message) {
        self.attach();
        let _ = self.vm.attach_current_thread_for_scope(|env| {
            let told = env.with_local_frame(8, |env| self.call_back(env, &message));
            if told.is_err() {
                env.exception_clear();
            }
            // A call that the host could not even take has failed: its tool must not wait for its time limit.
            if let (Err(error), Message::ToolCall { call_id, .. }) = (&told, &message) {
                let result = serde_json::json!({
                    "error": { "code": "internal", "message": format!("the host failed to take the call: {error}") }
                });
                let _ = api::tool_complete(*call_id, result.to_string().as_bytes());
            }
            jni::errors::Result::Ok(())
        });
    }

    fn takes_calls_at_once(&self) -> bool {
        true
    }

    fn thread_ends(&self) {
        if self.vm.is_thread_attached().unwrap_or(false) {
            let vm = self.vm.get_raw();
            // SAFETY: the thread is one of ours that ends: it has no frame of Java and uses no reference of it any more.
            unsafe { ((**vm).v1_1.DetachCurrentThread)(vm) };
        }
    }
}

/// Runs the body of a native method; an error or a panic is thrown.
fn native<'local, T: Default>(
    unowned: &mut EnvUnowned<'local>,
    class: &JClass<'local>,
    body: impl FnOnce(&mut Env<'local>) -> Result<T>,
) -> T {
    let outcome = unowned.with_env_no_catch(|env| -> jni::errors::Result<T> {
        Ok(guarded(|| body(env)).unwrap_or_else(|error| {
            let _ = guarded(|| {
                throw(env, class, &error);
                Ok(())
            });
            T::default()
        }))
    });
    match outcome.into_outcome() {
        jni::Outcome::Ok(value) => value,
        jni::Outcome::Err(_) | jni::Outcome::Panic(_) => T::default(),
    }
}

/// As [`native`] for a body that makes no Java object: to have an `Env` costs more than many an operation.
fn plain<'local, T: Default>(
    unowned: &mut EnvUnowned<'local>,
    class: &JClass<'local>,
    body: impl FnOnce() -> Result<T>,
) -> T {
    guarded(body).unwrap_or_else(|error| native(unowned, class, |_| Err(error)))
}

/// As [`native`] for a request in JSON and its answer.
fn answered<'local>(
    unowned: &mut EnvUnowned<'local>,
    class: &JClass<'local>,
    request: &JByteArray<'local>,
    body: impl FnOnce(&[u8]) -> Result<Vec<u8>>,
) -> JByteArray<'local> {
    native(unowned, class, |env| {
        let answer = body(&bytes(env, request)?)?;
        array(env, &answer)
    })
}

/// Throws the error, unless Java throws already.
fn throw(env: &mut Env<'_>, class: &JClass<'_>, error: &BridgeError) {
    if env.exception_check() {
        return;
    }
    if let Ok(throwable) = throwable(env, class, error) {
        // Throwing answers with the "error" that something is thrown.
        let _ = env.throw(&throwable);
    } else if !env.exception_check() {
        let _ = env.throw(JNIString::from(error.to_string()));
    }
}

fn throwable<'local>(
    env: &mut Env<'local>,
    class: &JClass<'_>,
    error: &BridgeError,
) -> jni::errors::Result<JThrowable<'local>> {
    let code = env.new_string(&error.code)?;
    let message = env.new_string(&error.message)?;
    let retry_after = error.retry_after_ms.and_then(|ms| i64::try_from(ms).ok()).unwrap_or(-1);
    let made = env.call_static_method(
        class,
        jni_str!("error"),
        jni_sig!("(Ljava/lang/String;Ljava/lang/String;J)Ljava/lang/Throwable;"),
        &[JValue::Object(&code), JValue::Object(&message), JValue::Long(retry_after)],
    )?;
    env.cast_local::<JThrowable<'_>>(made.l()?)
}

/// What went wrong in JNI itself. A pending exception stays pending and is what the caller sees.
fn jni_error(error: jni::errors::Error) -> BridgeError {
    match error {
        jni::errors::Error::NullPtr(what) => BridgeError::invalid(format!("null: {what}")),
        error => Error::new(ErrorKind::Internal, format!("the JVM refused: {error}")).into(),
    }
}

fn bytes(env: &Env<'_>, array: &JByteArray<'_>) -> Result<Vec<u8>> {
    env.convert_byte_array(array).map_err(jni_error)
}

fn string(env: &Env<'_>, text: &JString<'_>) -> Result<String> {
    text.try_to_string(env).map_err(jni_error)
}

fn array<'local>(env: &mut Env<'local>, json: &[u8]) -> Result<JByteArray<'local>> {
    env.byte_array_from_slice(json).map_err(jni_error)
}

fn java_bool(value: bool) -> jboolean {
    if value { JNI_TRUE } else { JNI_FALSE }
}

/// `NativeApi.abiVersion(): Int`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_abiVersion<'l>(
    _env: EnvUnowned<'l>,
    _class: JClass<'l>,
) -> jint {
    api::ABI_VERSION.cast_signed()
}

/// `NativeApi.init(callbacks: NativeCallbacks)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_init<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    callbacks: JObject<'l>,
) {
    native(&mut env, &class, |env| {
        if callbacks.is_null() {
            return Err(BridgeError::invalid("the callbacks are null"));
        }
        api::init(Arc::new(JavaHost::new(env, &callbacks).map_err(jni_error)?))
    });
}

/// `NativeApi.shutdown(limitMs: Long)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_shutdown<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    limit_ms: jlong,
) {
    plain(&mut env, &class, || {
        api::shutdown(Duration::from_millis(u64::try_from(limit_ms).unwrap_or(0)))
    });
}

/// `NativeApi.diagnostics(): ByteArray`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_diagnostics<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
) -> JByteArray<'l> {
    native(&mut env, &class, |env| array(env, &api::diagnostics()?))
}

/// `NativeApi.engineOpen(request: ByteArray): Long`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_engineOpen<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    request: JByteArray<'l>,
) -> jlong {
    native(&mut env, &class, |env| Ok(api::engine_open(&bytes(env, &request)?)?.cast_signed()))
}

/// `NativeApi.engineCall(engine: Long, request: ByteArray): ByteArray`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_engineCall<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    engine: jlong,
    request: JByteArray<'l>,
) -> JByteArray<'l> {
    answered(&mut env, &class, &request, |request| {
        api::engine_call(engine.cast_unsigned(), request)
    })
}

/// `NativeApi.checkEndpoint(request: ByteArray): ByteArray`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_checkEndpoint<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    request: JByteArray<'l>,
) -> JByteArray<'l> {
    answered(&mut env, &class, &request, api::check_endpoint)
}

/// `NativeApi.guardCheckToolCall(engine: Long, tool: String, arguments: ByteArray): ByteArray?`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_guardCheckToolCall<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    engine: jlong,
    tool: JString<'l>,
    arguments: JByteArray<'l>,
) -> JByteArray<'l> {
    native(&mut env, &class, |env| {
        let (tool, arguments) = (string(env, &tool)?, bytes(env, &arguments)?);
        match api::guard_check_tool_call(engine.cast_unsigned(), &tool, &arguments)? {
            Some(verdict) => array(env, &verdict),
            None => Ok(JByteArray::null()),
        }
    })
}

/// `NativeApi.engineClose(engine: Long)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_engineClose<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    engine: jlong,
) {
    plain(&mut env, &class, || api::engine_close(engine.cast_unsigned()));
}

/// `NativeApi.toolComplete(callId: Long, result: ByteArray): Boolean`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_toolComplete<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    call_id: jlong,
    result: JByteArray<'l>,
) -> jboolean {
    native(&mut env, &class, |env| {
        Ok(java_bool(api::tool_complete(call_id.cast_unsigned(), &bytes(env, &result)?)?))
    })
}

/// `NativeApi.toolAwaited(callId: Long): Boolean`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_toolAwaited<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    call_id: jlong,
) -> jboolean {
    plain(&mut env, &class, || Ok(java_bool(api::tool_awaited(call_id.cast_unsigned())?)))
}

/// `NativeApi.detectorOpen(config: String): Long`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorOpen<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    config: JString<'l>,
) -> jlong {
    native(&mut env, &class, |env| Ok(api::detector_open(&string(env, &config)?)?.cast_signed()))
}

/// `NativeApi.detectorPush(detector: Long, channel: Int, text: String, length: Int): Boolean`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorPush<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
    channel: jint,
    text: JString<'l>,
    length: jint,
) -> jboolean {
    let raw = env.as_raw();
    plain(&mut env, &class, || {
        let channel = Channel::from_number(channel)?;
        // SAFETY: the environment of this call, and the text that it was made with.
        let found = unsafe { push(raw, detector.cast_unsigned(), channel, &text, length) }?;
        Ok(java_bool(found))
    })
}

/// `NativeApi.detectorPushShort(detector: Long, channel: Int, length: Int, first: Long, second: Long): Boolean`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorPushShort<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
    channel: jint,
    length: jint,
    first: jlong,
    second: jlong,
) -> jboolean {
    plain(&mut env, &class, || {
        let channel = Channel::from_number(channel)?;
        let packed = (first as u128 & u128::from(u64::MAX)) | ((second as u128) << u64::BITS);
        let units: [jchar; SHORT] = std::array::from_fn(|at| (packed >> (16 * at)) as jchar);
        let units = usize::try_from(length).ok().and_then(|length| units.get(..length));
        let units = units.ok_or_else(|| {
            BridgeError::invalid(format!("{length} is no length of a short text: 0 to {SHORT}"))
        })?;
        Ok(java_bool(api::detector_push_utf16(detector.cast_unsigned(), channel, units)?))
    })
}

/// Copies the string's code units to the stack and from there into the detector: no string of ours is made.
///
/// # Safety
/// `env` is the environment of this thread, and the text a reference of it, or null.
unsafe fn push(
    env: *mut JNIEnv,
    detector: u64,
    channel: Channel,
    text: &JString<'_>,
    length: jint,
) -> Result<bool> {
    if text.is_null() {
        return Err(BridgeError::invalid("the text is null"));
    }
    // To fill all of it would cost more than a short chunk.
    let mut units = [MaybeUninit::<jchar>::uninit(); REGION];
    let (mut at, mut found) = (0, false);
    loop {
        let count = (length - at).min(REGION as jint);
        let piece = units.get_mut(..usize::try_from(count).unwrap_or(0)).unwrap_or_default();
        // A string that is shorter than its caller says is not read.
        piece.fill(MaybeUninit::new(0));
        let start = piece.as_mut_ptr().cast::<jchar>();
        // SAFETY: by the caller's promise, and the text is not null; `units` holds `count`, and all are initialised.
        let piece = unsafe {
            ((**env).v1_2.GetStringRegion)(env, text.as_raw(), at, count, start);
            std::slice::from_raw_parts(start, piece.len())
        };
        found |= api::detector_push_utf16(detector, channel, piece)?;
        at += count;
        if at >= length {
            return Ok(found);
        }
    }
}

/// `NativeApi.detectorEvent(detector: Long, event: ByteArray): Boolean`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorEvent<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
    event: JByteArray<'l>,
) -> jboolean {
    native(&mut env, &class, |env| {
        let event = String::from_utf8(bytes(env, &event)?)
            .map_err(|error| BridgeError::invalid(format!("the event is not UTF-8: {error}")))?;
        Ok(java_bool(api::detector_event(detector.cast_unsigned(), &event)?))
    })
}

/// `NativeApi.detectorFound(detector: Long): ByteArray`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorFound<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
) -> JByteArray<'l> {
    native(&mut env, &class, |env| array(env, &api::detector_found(detector.cast_unsigned())?))
}

/// `NativeApi.detectorAcknowledge(detector: Long)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorAcknowledge<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
) {
    plain(&mut env, &class, || api::detector_acknowledge(detector.cast_unsigned()));
}

/// `NativeApi.detectorReset(detector: Long, promptId: String)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorReset<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
    prompt_id: JString<'l>,
) {
    native(&mut env, &class, |env| {
        api::detector_reset(detector.cast_unsigned(), &string(env, &prompt_id)?)
    });
}

/// `NativeApi.detectorClose(detector: Long)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_detectorClose<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    detector: jlong,
) {
    plain(&mut env, &class, || api::detector_close(detector.cast_unsigned()));
}

/// `NativeApi.testingArm(point: String)`: only in a testing build.
#[cfg(feature = "testing")]
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_testingArm<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    point: JString<'l>,
) {
    native(&mut env, &class, |env| api::testing_arm(&string(env, &point)?));
}

/// `NativeApi.testingCallTools(engine: Long, request: ByteArray): ByteArray`: only in a testing build.
#[cfg(feature = "testing")]
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_testingCallTools<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    engine: jlong,
    request: JByteArray<'l>,
) -> JByteArray<'l> {
    answered(&mut env, &class, &request, |request| {
        api::testing_call_tools(engine.cast_unsigned(), request)
    })
}

/// `NativeApi.testingAddRecords(engine: Long, record: ByteArray, count: Int)`: only in a testing build.
#[cfg(feature = "testing")]
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_ouro_bridge_NativeApi_testingAddRecords<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    engine: jlong,
    record: JByteArray<'l>,
    count: jint,
) {
    native(&mut env, &class, |env| {
        let count = usize::try_from(count).unwrap_or(0);
        api::testing_add_records(engine.cast_unsigned(), &bytes(env, &record)?, count)
    });
}
