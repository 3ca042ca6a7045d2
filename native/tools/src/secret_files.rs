//! Files that hold secrets and little else: they are never read, whatever is in them.

/// Whole names.
const NAMES: [&str; 37] = [
    ".dockercfg",
    ".env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".pgpass",
    ".s3cfg",
    ".vault-token",
    "_netrc",
    "application_default_credentials.json",
    "credentials",
    "credentials.csv",
    "credentials.json",
    "credentials.toml",
    "credentials.xml",
    "credentials.yaml",
    "credentials.yml",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "id_xmss",
    "kubeconfig",
    "master.key",
    "secrets.json",
    "secrets.properties",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "secring.gpg",
    "service-account.json",
    "serviceaccount.json",
    "service_account.json",
];

/// What follows the last dot.
const EXTENSIONS: [&str; 16] = [
    "bcfks", "cer-key", "jceks", "jks", "kdb", "kdbx", "key", "keystore", "keytab", "ovpn", "p12",
    "p8", "pem", "pfx", "ppk", "tfstate",
];

/// Ends of a name that say that its values are made up.
const TEMPLATES: [&str; 7] =
    [".example", ".sample", ".template", ".dist", ".defaults", ".tpl", ".schema"];

/// Folder and name, where the name alone says little.
const IN_FOLDER: [(&str, &str); 4] =
    [(".aws", "config"), (".docker", "config.json"), (".kube", "config"), (".gnupg", "")];

/// Why the file at this path is taken for a secret, by its name alone. Case doesn't count: on some disks `.ENV`
/// opens `.env`.
pub(crate) fn why_secret(path: &str) -> Option<String> {
    let path = path.to_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    if is_template(name) {
        return None;
    }
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let in_folder = |(f, n): &(&str, &str)| *f == parent && (n.is_empty() || *n == name);
    let is_secret = NAMES.contains(&name)
        || name.starts_with(".env.")
        || name.ends_with(".env")
        || name.rsplit_once('.').is_some_and(|(_, ending)| EXTENSIONS.contains(&ending))
        || IN_FOLDER.iter().any(in_folder);
    is_secret.then(|| "files of this name hold secrets".to_owned())
}

/// Whether a name in lower case is that of a file whose values are made up.
pub(crate) fn is_template(name: &str) -> bool {
    TEMPLATES.iter().any(|t| name.ends_with(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_secrets_are_known_by_name_in_any_case_and_folder() {
        for path in [
            ".env",
            "app/.ENV",
            ".env.production",
            "prod.env",
            "certs/server.pem",
            "id_rsa",
            "home/.ssh/ID_ED25519",
            "release.jks",
            "debug.KeyStore",
            "store.p12",
            "a/credentials",
            ".aws/config",
            ".docker/config.json",
            ".netrc",
            "infra/prod.tfstate",
        ] {
            assert!(why_secret(path).is_some(), "{path}");
        }
    }

    #[test]
    fn files_that_only_speak_of_secrets_are_read() {
        for path in [
            "src/credentials.rs",
            "src/secrets.py",
            "id_rsa.pub",
            ".env.example",
            "env.rs",
            "environment",
            "keystore.go",
            "config.json",
            "docs/pem.md",
            "key.ts",
            ".npmrc",
        ] {
            assert_eq!(why_secret(path), None, "{path}");
        }
    }
}
