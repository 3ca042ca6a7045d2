//! The plugin and the bridge below it over the shared library, on every JVM of this machine that they must run on.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};

use crate::{
    cargo::{AS_TESTED, cargo, command, root, workspace},
    process,
};

/// Time to build the library: everything may have to be compiled.
const BUILD_LIMIT: Duration = Duration::from_secs(40 * 60);
/// Time for one JVM's build and tests, with everything that Maven may have to download.
const MAVEN_LIMIT: Duration = Duration::from_secs(15 * 60);
/// The Java versions that hosts run on.
const VERSIONS: [&str; 2] = ["17", "25"];
/// Modules whose tests run no native code but the library's. The others draw, and the JDK's own drawing code does not pass
/// `-Xcheck:jni`.
const WITHOUT_DRAWING: [&str; 2] = ["bridge", "example"];
/// Folders that hold JVMs, each in a folder of its own.
const PLACES: [&str; 4] =
    ["/usr/lib/jvm", "/opt", "/opt/java", "/Library/Java/JavaVirtualMachines"];

pub(super) fn run() -> Result<()> {
    let libraries = testing_library()?;
    let mut tested = Vec::new();
    for version in VERSIONS {
        let Some(home) = java_home(version) else {
            println!("Java {version} is not on this machine: nothing is tested on it");
            continue;
        };
        println!("Java {version}: {}", home.display());
        let mut maven = command("mvn", &root().join("plugin"));
        maven
            .args(["--batch-mode", "--quiet", "clean", "verify"])
            .arg(format!("-Douro.native.dir={}", libraries.display()))
            .env("JAVA_HOME", home);
        let (status, text) = process::output(maven, MAVEN_LIMIT)?;
        ensure!(
            status.success(),
            "on Java {version}: {status}\n{}\n\nEverything that Maven printed:\n{text}",
            errors(&text)
        );
        no_misuse_of_jni(&text).with_context(|| format!("on Java {version}"))?;
        tested.push(version);
    }
    ensure!(!tested.is_empty(), "there is no JVM of version {}", VERSIONS.join(" or "));
    println!("the bridge and the plugin work on Java {}", tested.join(" and "));
    Ok(())
}

/// The lines with which Maven says what went wrong: the rest is so much that a log may hold only its beginning.
fn errors(output: &str) -> String {
    let errors: Vec<&str> = output.lines().filter(|line| line.contains("[ERROR]")).collect();
    errors.join("\n")
}

/// Builds the library with its fault injection, and gives the folder of a copy: what is built next would take it away.
fn testing_library() -> Result<PathBuf> {
    let build = AS_TESTED.into_iter().chain(["--features", "ouro-ffi/testing"]);
    process::run(&mut cargo(build), BUILD_LIMIT)?;
    let target = workspace()?.target;
    let folder = target.join("xtask").join("jvm");
    fs::create_dir_all(&folder)?;
    let file = format!("{}ouro{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    // Under its own name only when it is whole: a JVM may have the old one open.
    let part = folder.join("part");
    fs::copy(target.join("debug").join(&file), &part)?;
    fs::rename(part, folder.join(file))?;
    Ok(folder)
}

/// Fails when `-Xcheck:jni` complained, to Maven's output or to the files where surefire keeps what a JVM's native code
/// printed.
fn no_misuse_of_jni(output: &str) -> Result<()> {
    let complains = |text: &str| {
        ["WARNING in native method", "FATAL ERROR in native method", "WARNING: JNI"]
            .iter()
            .any(|complaint| text.contains(complaint))
    };
    ensure!(!complains(output), "-Xcheck:jni:\n{output}");
    for module in WITHOUT_DRAWING {
        let reports = root().join("plugin").join(module).join("target/surefire-reports");
        let reports = fs::read_dir(&reports)
            .with_context(|| format!("no reports in {}", reports.display()))?;
        for report in reports {
            let path = report?.path();
            if path.extension().is_some_and(|kind| kind == "dumpstream" || kind == "dump") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                ensure!(!complains(&text), "-Xcheck:jni, in {}:\n{text}", path.display());
            }
        }
    }
    Ok(())
}

/// The home of the first JVM of this version that has a compiler, `JAVA_HOME` first.
fn java_home(version: &str) -> Option<PathBuf> {
    let own = env::var_os("JAVA_HOME").map(PathBuf::from);
    let mut homes: Vec<PathBuf> = PLACES
        .iter()
        .filter_map(|place| fs::read_dir(place).ok())
        .flatten()
        .flatten()
        .flat_map(|entry| [entry.path(), entry.path().join("Contents/Home")])
        .collect();
    homes.sort();
    own.into_iter().chain(homes).find(|home| is_jdk(home, version))
}

/// Whether a folder's `release` file names this version, and its compiler is there.
fn is_jdk(home: &Path, version: &str) -> bool {
    let release = fs::read_to_string(home.join("release")).unwrap_or_default();
    home.join("bin/javac").is_file()
        && release.lines().any(|line| {
            line.strip_prefix("JAVA_VERSION=\"")
                .and_then(|value| value.split(['.', '"']).next())
                .is_some_and(|major| major == version)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_is_told_apart_from_what_else_was_printed() {
        let output =
            "WARNING: x\n[ERROR] Tests run: 2, Failures: 1\nNov 23\n[ERROR]   ATest.b:7 c\n";
        assert_eq!(errors(output), "[ERROR] Tests run: 2, Failures: 1\n[ERROR]   ATest.b:7 c");
    }

    #[test]
    fn a_jdk_is_known_by_its_release_file_and_its_compiler() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.15\"\n")
            .unwrap();
        assert!(!is_jdk(home.path(), "17"));
        fs::create_dir(home.path().join("bin")).unwrap();
        fs::write(home.path().join("bin/javac"), "").unwrap();
        assert!(is_jdk(home.path(), "17"));
        assert!(!is_jdk(home.path(), "1"));
        assert!(!is_jdk(home.path(), "25"));
    }
}
