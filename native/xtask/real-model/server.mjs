// A small OpenAI-compatible chat server around llama.cpp, for `cargo xtask real-model`.
//
//   node server.mjs MODEL.gguf PORT
//
// GET /v1/models, POST /v1/chat/completions: streamed (SSE) or whole, with token usage, `response_format` as a grammar,
// `max_tokens` and `temperature`. One request at a time, on one thread; a client that goes away stops its generation.
// Each chat request leaves one JSON line on stderr. The server ends when its standard input closes, so it never
// outlives whoever started it.

import http from "node:http";
import {getLlama, JinjaTemplateChatWrapper, LlamaChat, LlamaLogLevel} from "node-llama-cpp";

const MODEL_NAME = "smollm2";
const CONTEXT_TOKENS = 8192;
const MAX_PROMPT_TOKENS = 7168;
const PROMPT_STEP_TOKENS = 128;
const DEFAULT_MAX_TOKENS = 512;
const DEFAULT_SEED = 1; // The same requests get the same replies, run after run.
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const [modelPath, port] = process.argv.slice(2);
const llama = await getLlama({gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath});
const context = await model.createContext({contextSize: CONTEXT_TOKENS, threads: 1});
const sequence = context.getSequence();
// The model's own template, to the letter: the library's ChatML adds a token that makes this model ramble.
const chatWrapper = new JinjaTemplateChatWrapper({
    template: model.fileInfo.metadata.tokenizer.chat_template,
    tokenizer: model.tokenizer
});
const chat = new LlamaChat({contextSequence: sequence, chatWrapper});

/** An error that the client caused, with its HTTP status. */
class RequestError extends Error {
    constructor(status, code, message) {
        super(message);
        this.status = status;
        this.code = code;
    }
}

const invalid = (message) => new RequestError(400, "invalid_request", message);

async function readJson(request) {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of request) {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES)
            throw new RequestError(413, "too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`);
        chunks.push(chunk);
    }
    try {
        return JSON.parse(Buffer.concat(chunks).toString("utf8"));
    } catch (error) {
        throw invalid(`The body is not JSON: ${error.message}`);
    }
}

function toHistory(messages) {
    if (!Array.isArray(messages) || messages.length === 0)
        throw invalid("'messages' must be a list with at least one message.");
    return messages.map(({role, content}) => {
        if (typeof content !== "string")
            throw invalid("'content' must be text.");
        switch (role) {
            case "system": return {type: "system", text: content};
            case "user": return {type: "user", text: content};
            case "assistant": return {type: "model", response: [content]};
            default: throw invalid(`'role' is ${JSON.stringify(role)}, but must be system, user or assistant.`);
        }
    });
}

/**
 * Says in llama.cpp's own words what JSON Schema leaves implicit: an object without properties takes any, and
 * `anyOf` is `oneOf` for a generator.
 */
function toGrammarSchema(schema) {
    if (Array.isArray(schema))
        return schema.map(toGrammarSchema);
    if (schema === null || typeof schema !== "object")
        return schema;
    const result = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toGrammarSchema(value)]));
    if (result.anyOf !== undefined) {
        result.oneOf = result.anyOf;
        delete result.anyOf;
    }
    if (result.type === "object" && result.properties === undefined)
        result.additionalProperties ??= true;
    return result;
}

const grammars = new Map();

async function grammarFor(format) {
    const type = format?.type ?? "text";
    if (type === "text")
        return undefined;
    if (type === "json_object")
        return await llama.getGrammarFor("json");
    if (type !== "json_schema" || typeof format.json_schema?.schema !== "object")
        throw invalid("'response_format' must be text, json_object, or json_schema with a schema.");
    const key = JSON.stringify(format.json_schema.schema);
    if (!grammars.has(key))
        grammars.set(key, await llama.createGrammarForJsonSchema(toGrammarSchema(format.json_schema.schema)));
    return grammars.get(key);
}

function tokenize(history) {
    const withReply = [...history, {type: "model", response: []}];
    return chatWrapper.generateContextState({chatHistory: withReply}).contextText.tokenize(model.tokenizer);
}

/** Checks a request's body; what it returns can be generated. */
async function prepare(body) {
    const history = toHistory(body.messages);
    const promptTokens = tokenize(history);
    if (promptTokens.length > MAX_PROMPT_TOKENS)
        throw new RequestError(
            400, "context_length_exceeded",
            `The prompt has ${promptTokens.length} tokens, but at most ${MAX_PROMPT_TOKENS} are taken.`
        );
    return {
        history,
        promptTokens,
        grammar: await grammarFor(body.response_format),
        maxTokens: Math.min(body.max_tokens ?? DEFAULT_MAX_TOKENS, CONTEXT_TOKENS - promptTokens.length),
        temperature: body.temperature ?? 1,
        seed: body.seed ?? DEFAULT_SEED
    };
}

/** Reads the prompt in small steps: the library itself doesn't look at `signal` before the first token. */
async function readPrompt(tokens, signal) {
    await sequence.adaptStateToTokens(tokens);
    for (let at = sequence.nextTokenIndex; at < tokens.length - 1; at += PROMPT_STEP_TOKENS) {
        signal.throwIfAborted();
        const end = Math.min(at + PROMPT_STEP_TOKENS, tokens.length - 1);
        await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, end));
    }
}

async function generate({history, promptTokens, ...options}, signal, onTextChunk) {
    await readPrompt(promptTokens, signal);
    const before = sequence.tokenMeter.getState();
    const {response, metadata} = await chat.generateResponse(history, {
        ...options, signal, stopOnAbortSignal: true, onTextChunk
    });
    const completionTokens = sequence.tokenMeter.diff(before).usedOutputTokens;
    return {
        text: response,
        finish: signal.aborted ? "aborted" : metadata.stopReason === "maxTokens" ? "length" : "stop",
        usage: {
            prompt_tokens: promptTokens.length,
            completion_tokens: completionTokens,
            total_tokens: promptTokens.length + completionTokens
        }
    };
}

/** Requests wait for each other here: one context, one thread. */
let lastInLine = Promise.resolve();

function inLine(work) {
    const result = lastInLine.then(work);
    lastInLine = result.catch(() => {});
    return result;
}

function sendJson(response, status, value) {
    const text = JSON.stringify(value);
    response.writeHead(status, {"content-type": "application/json", "content-length": Buffer.byteLength(text)});
    response.end(text);
}

function sendError(response, {status = 500, code = "server_error", message}) {
    sendJson(response, status, {error: {message, type: code, code}});
}

async function answerStreamed(prompt, includeUsage, response, signal, base) {
    const send = (value) =>
        response.write(`data: ${JSON.stringify({...base, object: "chat.completion.chunk", ...value})}\n\n`);
    const sendDelta = (delta, finish_reason = null) => send({choices: [{index: 0, delta, finish_reason}]});
    response.writeHead(200, {"content-type": "text/event-stream", "cache-control": "no-store"});
    sendDelta({role: "assistant", content: ""});
    const reply = await inLine(() => generate(prompt, signal, (content) => sendDelta({content})));
    if (!signal.aborted) {
        sendDelta({}, reply.finish);
        if (includeUsage)
            send({choices: [], usage: reply.usage});
        response.end("data: [DONE]\n\n");
    }
    return reply;
}

async function answerWhole(prompt, response, signal, base) {
    const reply = await inLine(() => generate(prompt, signal, undefined));
    if (!signal.aborted)
        sendJson(response, 200, {
            ...base,
            object: "chat.completion",
            choices: [{index: 0, message: {role: "assistant", content: reply.text}, finish_reason: reply.finish}],
            usage: reply.usage
        });
    return reply;
}

let requests = 0;

async function handleChat(request, response) {
    const startedAt = Date.now();
    const entry = {request: ++requests};
    const abort = new AbortController();
    response.on("close", () => response.writableFinished || abort.abort());
    try {
        const body = await readJson(request);
        entry.stream = body.stream === true;
        entry.schema = body.response_format?.json_schema?.name ?? null;
        const base = {
            id: `chatcmpl-${entry.request}`,
            created: Math.floor(startedAt / 1000),
            model: MODEL_NAME
        };
        const prompt = await prepare(body);
        const reply = entry.stream
            ? await answerStreamed(prompt, body.stream_options?.include_usage, response, abort.signal, base)
            : await answerWhole(prompt, response, abort.signal, base);
        Object.assign(entry, {finish: reply.finish, ...reply.usage, reply: reply.text});
    } catch (error) {
        if (abort.signal.aborted)
            entry.finish = "aborted";
        else
            entry.error = error.message;
        if (response.headersSent)
            response.destroy();
        else
            sendError(response, error);
    }
    entry.ms = Date.now() - startedAt;
    console.error(JSON.stringify(entry));
}

const server = http.createServer((request, response) => {
    const {pathname} = new URL(request.url, "http://localhost");
    if (request.method === "GET" && pathname === "/v1/models")
        sendJson(response, 200, {object: "list", data: [{id: MODEL_NAME, object: "model", owned_by: "local"}]});
    else if (request.method === "POST" && pathname === "/v1/chat/completions")
        handleChat(request, response);
    else
        sendError(response, new RequestError(404, "not_found", `There is no ${request.method} ${pathname}.`));
});

process.stdin.on("end", () => process.exit(0)).resume();
server.listen(Number(port), "127.0.0.1");
