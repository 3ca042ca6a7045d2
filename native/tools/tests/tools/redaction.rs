//! Secrets in their real formats, with made-up values. Every value is put together at run time, so that the repository
//! itself holds nothing that a scanner takes for a key.

use std::collections::BTreeSet;

use ouro_tools::redact;
use proptest::prelude::*;

/// Letters and digits that look random and are the same in every run.
fn random(length: usize, alphabet: &str) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64 ^ length as u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state % letters.len() as u64) as usize]
    };
    (0..length).map(next).collect()
}

const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

fn alnum(length: usize) -> String {
    random(length, ALNUM)
}

/// A key of a known form: prefix and length.
fn key(prefix: &str, length: usize) -> String {
    format!("{prefix}{}", alnum(length))
}

/// Kind, text and the part of it that must be gone.
fn secrets() -> Vec<(&'static str, String, String)> {
    let mut all = Vec::new();
    // Keys that are known by their form stand in plain code, under a name that says nothing.
    let mut formed = |kind, secret: String| {
        all.push((kind, format!("let x = f(\"{secret}\", 1);"), secret.clone()));
        all.push((kind, format!("# use {secret} here"), secret));
    };
    formed("AWS key", format!("AKIA{}", random(16, UPPER)));
    formed("AWS key", format!("ASIA{}", random(16, UPPER)));
    for prefix in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] {
        formed("GitHub token", key(prefix, 36));
    }
    formed("GitHub token", format!("github_pat_{}_{}", alnum(22), alnum(59)));
    formed("GitLab token", key("glpat-", 20));
    formed("GitLab token", key("glrt-", 20));
    formed("Slack token", format!("xoxb-{}-{}-{}", random(12, HEX), random(12, HEX), alnum(24)));
    formed("Slack token", format!("xapp-1-A{}-{}", random(10, UPPER), random(64, HEX)));
    formed("Google key", key("AIza", 35));
    formed("Google token", key("ya29.", 60));
    formed("Google client secret", key("GOCSPX-", 28));
    formed("model API key", key("sk-", 48));
    formed("model API key", format!("sk-{}", random(32, HEX)));
    formed("model API key", key("sk-proj-", 64));
    formed("model API key", format!("sk-ant-api03-{}-{}", alnum(40), alnum(52)));
    formed("model API key", key("gsk_", 52));
    formed("Stripe key", key("sk_live_", 24));
    formed("Stripe key", key("rk_test_", 24));
    formed("Stripe webhook secret", key("whsec_", 32));
    formed("JWT", format!("eyJ{}.eyJ{}.{}", alnum(30), alnum(60), alnum(43)));
    formed("npm token", key("npm_", 36));
    formed("PyPI token", key("pypi-AgEIcHlwaS5vcmc", 80));
    formed("Cargo token", key("cio", 32));
    formed("Docker token", key("dckr_pat_", 27));
    formed("Hugging Face token", key("hf_", 34));
    formed("SendGrid key", format!("SG.{}.{}", alnum(22), alnum(43)));
    formed("Twilio key", format!("SK{}", random(32, HEX)));
    formed("Telegram token", format!("{}:AA{}", random(9, "123456789"), alnum(33)));
    formed("DigitalOcean token", format!("dop_v1_{}", random(64, HEX)));
    formed("Databricks token", format!("dapi{}", random(32, HEX)));
    formed("Vault token", key("hvs.", 90));
    formed("Shopify token", format!("shpat_{}", random(32, HEX)));
    formed("Grafana token", format!("glsa_{}_{}", alnum(32), random(8, HEX)));
    formed("Alibaba Cloud key", key("LTAI", 20));
    formed("Tencent Cloud key", key("AKID", 32));
    formed("age secret key", format!("AGE-SECRET-KEY-1{}", random(58, UPPER)));
    formed("Atlassian token", key("ATATT3", 186));
    formed("Linear key", key("lin_api_", 40));
    formed("Mailchimp key", format!("{}-us21", random(32, HEX)));
    formed("Mailgun key", format!("key-{}", random(32, HEX)));
    formed("Postman key", format!("PMAK-{}-{}", random(24, HEX), random(34, HEX)));
    formed("Replicate token", key("r8_", 37));
    formed("RubyGems key", format!("rubygems_{}", random(48, HEX)));
    formed("Square token", key("sq0atp-", 22));
    formed("Tailscale key", format!("tskey-auth-{}-{}", alnum(12), alnum(32)));
    formed("1Password key", {
        let groups = [6, 6, 5, 5, 5, 5].map(|length| random(length, UPPER));
        format!("A3-{}", groups.join("-"))
    });
    formed("1Password token", key("ops_eyJ", 250));
    formed("Adobe client secret", key("p8e-", 32));
    formed("Airtable token", format!("pat{}.{}", alnum(14), random(64, HEX)));
    formed("Artifactory token", key("AKCp", 69));
    formed("Artifactory token", key("cmVmd", 59));
    formed("AWS key", key("ABSK", 128));
    formed("Azure client secret", format!("{}8Q~{}", alnum(3), alnum(34)));
    formed("Baidu Cloud key", format!("bce-v3/ALTAK-{}/{}", alnum(21), random(40, HEX)));
    formed("Brevo key", format!("xkeysib-{}-{}", random(64, HEX), alnum(16)));
    formed("ClickHouse key", key("4b1d", 38));
    formed("Clojars token", key("CLOJARS_", 60));
    formed("Cloudflare key", format!("v1.0-{}-{}", random(24, HEX), random(146, HEX)));
    formed("Contentful token", key("CFPAT-", 43));
    formed("Doppler token", key("dp.pt.", 43));
    formed("Doppler token", key("dp.st.dev_main.", 43));
    formed("Dropbox token", key("sl.", 135));
    formed("Duffel token", key("duffel_live_", 43));
    formed("Dynatrace token", format!("dt0c01.{}.{}", random(24, UPPER), random(64, UPPER)));
    formed("EasyPost key", key("EZAK", 54));
    formed("Facebook token", key("EAAM", 110));
    formed("Facebook token", format!("{}|{}", random(16, "123456789"), alnum(27)));
    formed("Figma token", key("figd_", 40));
    formed("Flutterwave key", format!("FLWSECK-{}-X", random(32, HEX)));
    formed("Fly token", key("fo1_", 43));
    formed("Fly token", key("fm2_", 120));
    formed("Frame.io token", key("fio-u-", 64));
    formed("GitLab token", key("GR1348941", 20));
    formed("Grafana token", key("eyJrIjoi", 92));
    formed("Harness token", format!("pat.{}.{}.{}", alnum(22), alnum(24), alnum(20)));
    formed("Heroku key", key("HRKU-AA", 58));
    formed("Infracost key", key("ico-", 32));
    formed("JWT", key("ZXlK", 90));
    formed("LangSmith key", format!("lsv2_pt_{}_{}", random(32, HEX), random(10, HEX)));
    formed("MaxMind key", format!("{}_{}_mmk", alnum(6), alnum(29)));
    formed("New Relic key", format!("NRAK-{}", random(27, UPPER)));
    formed("New Relic key", key("NRII-", 32));
    formed("Notion token", format!("ntn_{}{}", random(11, "123456789"), alnum(35)));
    formed("Octopus key", format!("API-{}", random(26, UPPER)));
    formed("OpenShift token", key("sha256~", 43));
    formed("Pinecone key", format!("pcsk_{}_{}", alnum(6), alnum(63)));
    formed("PlanetScale token", key("pscale_pw_", 43));
    formed("Prefect key", key("pnu_", 36));
    formed("Pulumi token", format!("pul-{}", random(40, HEX)));
    formed("ReadMe key", format!("rdme_{}", random(70, HEX)));
    formed("Scalingo token", key("tk-us-", 48));
    formed("Sentry token", format!("sntryu_{}", random(64, HEX)));
    formed("SettleMint token", key("sm_pat_", 16));
    formed("Shippo token", format!("shippo_live_{}", random(40, HEX)));
    formed("SonarQube token", format!("squ_{}", random(40, HEX)));
    formed("Sourcegraph token", format!("sgp_{}", random(40, HEX)));
    formed("Supabase key", format!("sbp_{}", random(40, HEX)));
    formed("Terraform token", format!("{}.atlasv1.{}", alnum(14), alnum(67)));
    formed("Typeform token", key("tfp_", 59));
    formed("Yandex key", key("AQVN", 36));
    formed("Zhipu key", format!("{}.{}", random(32, HEX), alnum(16)));

    let mut within = |kind, before: &str, secret: String, after: &str| {
        all.push((kind, format!("{before}{secret}{after}"), secret));
    };
    let plain = ["corr", "ect7horse"].concat();
    within(
        "password in a URL",
        "url = \"postgres://app:",
        plain.clone(),
        "@db.internal:5432/app\"",
    );
    within("password in a URL", "redis://:", plain.clone(), "@cache/0");
    within("password in a URL", "mongodb+srv://u:", plain.clone(), "@c0.example.net");
    within("connection string password", "\"Server=db;User Id=app;Password=", plain.clone(), ";\"");
    within("bearer token", "curl -H 'Authorization: Bearer ", alnum(32), "'");
    within("basic credentials", "\"Authorization\": \"Basic ", alnum(24), "\"");
    within(
        "Slack webhook",
        "https://hooks.slack.com/services/",
        format!("T{}/B{}/{}", random(8, UPPER), random(8, UPPER), alnum(24)),
        "",
    );
    within(
        "Discord webhook",
        "https://discord.com/api/webhooks/123456789012345678/",
        alnum(68),
        "",
    );
    within("GitLab session", "Cookie: _gitlab_session=", random(32, HEX), "; path=/");
    within(
        "Teams webhook",
        "https://corp.webhook.office.com/webhookb2/",
        format!("{0}@{0}/IncomingWebhook/{0}/{0}", random(32, HEX)),
        "",
    );
    within("signed URL", "https://a.blob.example.com/c?sv=2024&sig=", alnum(43), "%3D&se=2027");
    within("key in a header", "curl -H 'X-Api-Key: ", alnum(32), "' https://api.example.com");
    within("key in a header", "-H \"Authorization: Token ", random(40, HEX), "\"");
    within("password of a command", "curl -s -u 'admin:", plain.clone(), "' https://example.com");
    within("password of a feed", "<add key=\"ClearTextPassword\" value=\"", plain.clone(), "\" />");
    within("AWS secret key", "aws_secret_access_key = ", alnum(40), "");
    within("npm token", "//registry.example.com/:_authToken=", alnum(40), "");
    for before in [
        "password = \"",
        "String dbPassword = \"",
        "val password: String = \"",
        "const PASSWORD: &str = \"",
        "password := \"",
        "\"password\": \"",
        "config[\"password\"] = \"",
        "config.setPassword(\"",
        "put(\"password\", \"",
        "if password == \"",
        "let s = r#\"{ \\\"passwd\\\": \\\"",
    ] {
        let after = if before.contains('\\') { "\\\"" } else { "\"" };
        within("password", before, plain.clone(), after);
    }
    within("password", "PWD='", plain.clone(), "'");
    within("password", "<password>", plain, "</password>");
    for before in
        ["api_key = \"", "apiKey: \"", "\"client_secret\": \"", "SECRET_KEY = \"", "authToken=\""]
    {
        within("secret", before, alnum(32), "\"");
        within("secret", before, random(40, HEX), "\"");
    }
    all
}

#[test]
fn every_secret_of_a_known_form_is_gone_and_its_kind_named() {
    let (mut missed, mut kinds) = (Vec::new(), BTreeSet::new());
    for (kind, text, secret) in secrets() {
        let shown = redact("src/main.rs", &text);
        kinds.insert(kind);
        if shown.contains(&secret) || !shown.contains(&format!("[redacted: {kind}]")) {
            missed.push(format!("{kind}: {text} -> {shown}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    println!("{} kinds of secrets in {} places, all found", kinds.len(), secrets().len());
}

#[test]
fn in_settings_files_values_need_no_quotes() {
    let plain = ["corr", "ect7horse"].concat();
    for (path, before, after) in [
        ("app.properties", "spring.datasource.password=", ""),
        ("config/app.yml", "  password: ", " # of the database"),
        ("deploy.sh", "export DB_PASSWORD=", ""),
        ("app.ini", "passwd = ", ""),
        (".pypirc", "password = ", ""),
        ("Dockerfile", "ENV ADMIN_PASSWORD=", ""),
        (".env.example", "MYSQL_PWD=", ""),
    ] {
        let shown = redact(path, &format!("{before}{plain}{after}\n")).into_owned();
        assert_eq!(shown, format!("{before}[redacted: password]{after}\n"), "{path}");
    }
    let token = alnum(40);
    let shown = redact(".npmrc", &format!("email = me\n_authToken={token}\n")).into_owned();
    assert_eq!(shown, "email = me\n_authToken=[redacted: npm token]\n");
    assert_eq!(
        redact("values.yaml", &format!("apiToken: {token}\n")),
        "apiToken: [redacted: secret]\n"
    );
}

/// Ways in which programs, settings, markup, command lines and documents write a secret under its name: the file, what
/// stands before the value and what stands behind it.
const SPELLINGS: &[(&str, &str, &str)] = &[
    // Variables of a shell, in files of any name.
    ("README.md", "    export API_TOKEN=", ""),
    ("README.md", "run `SESSION_SECRET=", " ./serve`"),
    ("notes.txt", "STRIPE_SECRET=", ""),
    ("INSTALL", "DB_PASSWORD=", ""),
    ("docs/setup.rst", "  $ set MAIL_PASSWORD=", ""),
    ("env.local", "DATABASE_URL=", ""),
    ("env", "export SMTP_PASS=", ""),
    ("Dockerfile", "ENV DB_PASSWORD ", ""),
    ("Dockerfile", "ARG NPM_TOKEN=", ""),
    ("Dockerfile", "RUN API_TOKEN=", " make"),
    ("Makefile", "TOKEN ?= ", ""),
    ("a.fish", "set -x GITLAB_TOKEN ", ""),
    ("a.bat", "setx API_KEY ", ""),
    ("a.sh", "PGPASSWORD=", " psql -h db"),
    ("a.sh", "declare -r AUTH_TOKEN=", ""),
    ("a.sh", "echo \"password=", "\" > settings"),
    ("a.ps1", "$env:API_TOKEN = '", "'"),
    // Options of commands and parameters of URLs.
    ("a.sh", "deploy --password=", ""),
    ("a.sh", "deploy --token ", " --verbose"),
    ("a.sh", "deploy --token=", " \"$HOST\""),
    ("a.sh", "API_TOKEN=", " deploy \"a b\""),
    ("ci.md", "deploy --api-key '", "'"),
    ("a.py", "run(\"deploy --auth-token ", " now\")"),
    ("a.sh", "java -Dkeystore.password=", " -jar a.jar"),
    ("a.sh", "keytool -storepass ", " -list"),
    ("a.sh", "curl \"https://example.com/v1?api_key=", "&x=1\""),
    ("a.html", "<a href=\"/feed?user=1&amp;access_token=", "\">"),
    ("a.js", "fetch(`/v1/items?token=", "`)"),
    ("a.sh", "mysql -uroot -p", " shop"),
    ("a.sh", "sshpass -p ", " ssh host"),
    ("a.sh", "docker login -u me -p ", ""),
    ("a.sh", "redis-cli -h cache -a ", " ping"),
    ("a.sh", "ldapsearch -x -D cn=admin -w ", " uid=a"),
    // YAML.
    ("deploy.yml", "      - name: DB_PASSWORD\n        value: ", ""),
    ("deploy.yml", "      - name: API_TOKEN\n        value: \"", "\""),
    ("compose.yml", "      - API_KEY=", ""),
    ("compose.yml", "      JWT_SECRET: ", ""),
    (".gitlab-ci.yml", "  - export API_TOKEN=", ""),
    (".gitlab-ci.yml", "  script: curl -H \"PRIVATE-TOKEN: ", "\" x"),
    ("a.yaml", "token: |\n  ", "\nnext: 1"),
    ("a.yaml", "  password: >-\n    ", "\n  next: 1"),
    ("a.yaml", "\"auth-token\": ", " # of the robot"),
    ("a.yaml", "passphrase: correct horse battery ", ""),
    // JSON.
    ("config.json", "{\"db\": {\"user\": \"app\", \"pass\": \"", "\"}}"),
    ("config.json", "{\"apiKey\":\"", "\"}"),
    ("config.json", "{\"name\": \"api_token\", \"value\": \"", "\"}"),
    ("config.json", "{\"tokens\": {\"github\": \"", "\"}}"),
    ("config.json", "{\"auths\": {\"x\": {\"auth\": \"", "\"}}}"),
    ("a.go", "body := `{\"refresh_token\":\"", "\"}`"),
    // Other settings and markup.
    ("app.properties", "ftp.pass=", ""),
    ("app.properties", "api.key=", ""),
    ("app.properties", "client-secret: ", "\r"),
    ("app.ini", "admin_passwd = ", " ; of the database"),
    ("app.toml", "secret_access_key = \"", "\""),
    ("a.xml", "<property name=\"password\">", "</property>"),
    ("a.xml", "<property name=\"password\" value=\"", "\"/>"),
    ("a.xml", "<add key=\"ApiKey\" value='", "'/>"),
    ("a.xml", "<ns:password>\n  ", "\n</ns:password>"),
    ("a.xml", "<apiKey type=\"plain\">", "</apiKey>"),
    ("a.tf", "variable \"db_password\" {\n  type    = string\n  default = \"", "\"\n}"),
    ("a.tf", "  master_password = \"", "\""),
    // Code.
    ("a.py", "password = (\"", "\")"),
    ("a.py", "PASSWORD = (\n    \"", "\"\n)"),
    ("a.py", "TOKEN = \\\n    \"", "\""),
    ("a.py", "token = \"\"\"", "\"\"\""),
    ("a.py", "auth = (\"user\", \"", "\")"),
    ("a.py", "TOKEN = \"abcdefgh\" \"", "\""),
    ("a.py", "password = os.getenv(\"PASSWORD\", \"", "\")"),
    ("a.py", "secret = base64.b64decode(b\"", "\")"),
    ("a.py", "headers = {\"Authorization\": \"Token ", "\"}"),
    ("a.py", "parser.add_argument(\"--token\", default=\"", "\")"),
    ("A.java", "static final String PASSWORD =\n    \"", "\";"),
    ("A.java", "properties.put(\"api_key\", \"", "\");"),
    ("A.java", "char[] password = \"", "\".toCharArray();"),
    ("A.kt", "private val apiSecret: String? = \"", "\""),
    ("a.rs", "let token = String::from(\"", "\");"),
    ("a.rs", ".basic_auth(\"user\", Some(\"", "\"))"),
    ("a.rs", "const TOKEN: &'static str =\n    \"", "\";"),
    ("a.rs", "let api_key = r#\"", "\"#;"),
    ("a.go", "request.SetBasicAuth(\"user\", \"", "\")"),
    ("a.go", "apiToken := []byte(\"", "\")"),
    ("a.ts", "const token = process.env.TOKEN || '", "';"),
    ("a.ts", "const secret = process.env.SECRET ?? `", "`;"),
    ("a.php", "'password' => '", "',"),
    ("a.rb", "config.secret_key_base = '", "'"),
    ("a.js", "new Client({ credentials: { id: 1, key: '", "' } })"),
    ("a.cs", "new NetworkCredential(\"user\", \"", "\")"),
    // Declarations with a type, an index or accessors between the name and the value.
    ("a.go", "var dbPassword string = \"", "\""),
    ("a.go", "const secretKey string = \"", "\""),
    ("a.go", "var token []byte = []byte(\"", "\")"),
    ("a.c", "char password[] = \"", "\";"),
    ("a.c", "static const char api_key[64] = \"", "\";"),
    ("a.h", "#define API_KEY \"", "\""),
    ("a.cpp", "std::string password{\"", "\"};"),
    ("a.cs", "public string ApiKey { get; set; } = \"", "\";"),
    ("a.vb", "Dim apiKey As String = \"", "\""),
    ("a.swift", "let apiKey = #\"", "\"#"),
    ("a.jl", "const token::String = \"", "\""),
    ("a.R", "password <- \"", "\""),
    ("a.ex", "@secret_key \"", "\""),
    ("a.ts", "const p: { password: string } = { password: \"", "\" };"),
    ("a.rs", "let password: Cow<'_, str> = Cow::Borrowed(\"", "\");"),
    ("a.sql", "CREATE USER a IDENTIFIED BY '", "';"),
    ("a.sh", "echo ${PASSWORD:-", "}"),
    // Lists and sections.
    ("a.py", "PASSWORDS = [\"old\", \"", "\"]"),
    ("a.java", "String[] passwords = {\"", "\"};"),
    ("a.yml", "tokens:\n  - ", "\nnext: 1"),
    ("a.yml", "api:\n  tokens:\n  - short # old\n  - \"", "\" # new"),
    ("a.yml", "tokens: [short, ", "]"),
    ("a.ini", "[credentials]\nuser = me\nservice = ", " ; new\n[next]"),
    ("a.toml", "[app.secrets]\nservice = \"", "\""),
    // What people tell each other.
    ("a.go", "// Password: ", ""),
    ("A.java", " * The token: ", ""),
    ("README.md", "**Password:** ", ""),
    ("README.md", "The API key is `", "`."),
    ("notes.txt", "the api key: ", "."),
    ("notes.txt", "login with the token ", ", please"),
];

#[test]
fn what_stands_under_a_name_that_tells_is_gone_in_every_spelling() {
    let (mut missed, mut tried) = (Vec::new(), 0);
    for (path, before, after) in SPELLINGS {
        for length in [20, 26, 32, 40] {
            let secret = alnum(length);
            let text = format!("{before}{secret}{after}\n");
            let shown = redact(path, &text);
            tried += 1;
            assert_eq!(shown.lines().count(), text.lines().count(), "{text}");
            // All of it, not only a part, and nothing beside it but what belongs to it.
            let frame =
                before.trim_end_matches("Token ").trim_end_matches("correct horse battery ");
            let is_framed = shown.starts_with(frame) && shown.ends_with(&format!("{after}\n"));
            if shown.contains(&secret[..4]) || shown.contains(&secret[length - 4..]) || !is_framed {
                missed.push(format!("{path}: {text} -> {shown}"));
            }
        }
    }
    println!("{} of {tried} values are gone", tried - missed.len());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Values that people make up: with marks in front, brackets within, of words, or like a mistake of a placeholder.
#[test]
fn under_password_any_value_is_gone_that_is_no_placeholder() {
    let values = [
        "#Xk29fjq!77zT",
        "aB3(xY7)kLm9",
        "$7kQ9x!vL2pW",
        "Zq9<kV3m>Lx7",
        "%Tr4v8Lq2Zn",
        "Qz7{pV2}mK9x",
        "*9GhT3kLpQ2x",
        "@4fK[9x",
        "T...9xk2Lq8Z",
        "Insertion77Kq",
        "correct-horse-staple",
        "winter_rain",
        "sesame",
        "Winter2026!",
        "$Zr9kLq2vX7",
        "p)q(r",
        "a{b7",
        "x>y<z",
    ];
    for value in values {
        for (path, before, after) in [
            ("a.py", "password = \"", "\""),
            ("a.go", "var dbPassword string = \"", "\""),
            ("a.py", "PASSWORDS = [\"old\", \"", "\"]"),
            ("a.yml", "db:\n  password: \"", "\""),
            ("a.json", "{\"password\": \"", "\"}"),
            ("a.c", "#define DB_PASSWORD \"", "\""),
        ] {
            let shown = redact(path, &format!("{before}{value}{after}")).into_owned();
            assert!(
                shown.ends_with(&format!("[redacted: password]{after}")),
                "{path}: {value} -> {shown}"
            );
        }
    }
    for value in ["S3cr3tP4ss9", "k9mV3xQ", "#Xk29fjq!77zT", "aB3(xY7)kLm9"] {
        for (path, before) in [
            ("a.go", "// Password: "),
            ("a.py", "# the password: "),
            ("README.md", "Default password: "),
            ("a.yml", "password: "),
        ] {
            if path == "a.yml" && value.starts_with('#') {
                continue;
            }
            let shown = redact(path, &format!("{before}{value}\n")).into_owned();
            assert_eq!(shown, format!("{before}[redacted: password]\n"), "{path}: {value}");
        }
    }
    let key = "tG7(kQ2)mVx9Lp3ZrT8w";
    assert_eq!(redact("a.py", &format!("api_key = \"{key}\"")), "api_key = \"[redacted: secret]\"");
}

#[test]
fn what_stands_for_a_value_is_left_alone() {
    for value in [
        "${DB_PASSWORD}",
        "${DB_PASSWORD:-}",
        "$DB_PASSWORD",
        "$USER:$NAME",
        "$(pass show db)",
        "{{ vault.db }}",
        "{password}",
        "#{config.pw}",
        "<your-key>",
        "%(pw)s",
        "%s",
        "%DB_PW%",
        "***",
        "********",
        "[your password]",
        "@DB_PW@",
        "__DB_PW__",
        "env('DB_PW')",
        "changeme",
        "change-me-please",
        "your-password-123",
        "xxxxxxxx",
        "...",
        "prefix-${NAME}",
        "Enter your password",
        "forms.login.title",
        "/run/db/pw",
        "\u{5bc6}\u{7801}",
        "Has\u{142}o",
        "[redacted: password]",
    ] {
        for (path, before) in [
            ("a.py", "password = \""),
            ("a.yml", "password: \""),
            ("a.go", "var password string = \""),
        ] {
            let text = format!("{before}{value}\"\n");
            assert_eq!(redact(path, &text), text, "{path}");
        }
    }
    let checksum = format!("\"js-tokens\": {{\"integrity\": \"sha512-{}==\"}}", alnum(86));
    for text in [
        checksum.as_str(),
        "msgid \"Password:\"\nmsgstr \"Heslo:\"\n",
        "you must pass `Utf8Detection::Deny`",
        "the number identified by 'sequence' and",
        "<input type=\"password\" name=\"pw1a2b3c\">",
    ] {
        assert_eq!(redact("a.json", text), text);
    }
}

#[test]
fn a_long_value_is_gone_to_its_end() {
    let long = alnum(20_000);
    assert_eq!(redact("notes", &format!("token: {long} end")), "token: [redacted: secret] end");
    assert_eq!(redact("a.sh", &format!("TOKEN={long}")), "TOKEN=[redacted: secret]");
}

#[test]
fn a_file_of_the_environment_keeps_its_names_alone() {
    let text = "# of the shop\nexport REGION=eu\nDATABASE_URL='db:1'\n\nEMPTY=\nHOME=$BASE/x\n";
    let shown = "# of the shop\nexport REGION=[redacted: setting]\nDATABASE_URL=[redacted: setting]\n\n\
                 EMPTY=\nHOME=$BASE/x\n";
    for path in ["env", "deploy/env.production", "ENV.Local"] {
        assert_eq!(redact(path, text), shown, "{path}");
        assert_eq!(redact(path, shown), shown, "{path}");
    }
    // Values that are made up, a shell script, another name.
    for path in ["env.example", "env.sh", "environment", "env/settings"] {
        assert_eq!(redact(path, text), text, "{path}");
    }
    let code = "DEBUG=True\nimport os\n";
    assert_eq!(redact("env.py", code), code);
}

/// The armour of a private key, put together so that this file holds none.
fn armour(what: &str, kind: &str) -> String {
    format!("-----{what} {kind}PRIVATE KEY-----")
}

#[test]
fn private_keys_are_replaced_line_by_line() {
    let body: Vec<String> = (0..12).map(|i| random(64 - i % 2, ALNUM)).collect();
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        for (before, after) in [("", ""), ("    \"", "\\n\" +"), ("# ", ""), ("  | ", "")] {
            let mut lines = vec![armour("BEGIN", kind)];
            lines.extend(body.iter().cloned());
            lines.push(armour("END", kind));
            let block: Vec<_> = lines.iter().map(|l| format!("{before}{l}{after}")).collect();
            let text = format!("first\n{}\nlast", block.join("\n"));
            let shown = redact("a.txt", &text);
            let expected = format!("first\n{}last", "[redacted: private key]\n".repeat(14));
            assert_eq!(shown, expected, "{kind}{before}");
        }
    }
    let pgp = format!(
        "{}\nVersion: 1\n\n{}\n=abcd\n{}\nend",
        armour("BEGIN", "PGP ").replace("KEY", "KEY BLOCK"),
        body.join("\n"),
        armour("END", "PGP ").replace("KEY", "KEY BLOCK")
    );
    let shown = redact("a.asc", &pgp);
    assert!(!body.iter().any(|line| shown.contains(line.as_str())), "{shown}");
    assert!(shown.ends_with("\nend"));
}

#[test]
fn a_private_key_that_is_cut_off_or_on_one_line_is_replaced() {
    let body = random(200, ALNUM);
    let (begin, end) = (armour("BEGIN", ""), armour("END", ""));
    let one_line = format!("{{\"private_key\": \"{begin}\\n{body}\\n{end}\\n\", \"id\": 1}}");
    let shown = redact("a.json", &one_line);
    assert_eq!(shown, "{\"private_key\": \"[redacted: private key]\\n\", \"id\": 1}");
    let cut_off = format!("{begin}\n{body}\n{body}");
    assert_eq!(redact("a.txt", &cut_off).matches("[redacted: private key]").count(), 3);
}

#[test]
fn ordinary_code_is_left_alone() {
    let (begin, end) = (armour("BEGIN", "RSA "), armour("END", "RSA "));
    let parser = format!(
        "const BEGIN: &str = \"{begin}\";\nconst END: &str = \"{end}\";\nfn parse() {{}}\n"
    );
    let public = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    let list = format!("\"{begin}\",\n\n\"{end}\",\nfoo\n");
    for text in [
        parser.as_str(),
        list.as_str(),
        public,
        "let client_auth = resolve_something_long",
        "assert!(verify_password(\"alice\", hash))",
        "hash_password(\"pepper\", salt)",
        "for param in ('grant_type', 'username', 'password', 'scope'):",
        "Buffer.from(password, 'base64')",
        "let token = tokens.next().unwrap();",
        "password: String,",
        "fn password(&self) -> &str { &self.password }",
        "let password = \"password\";",
        "password = \"\"",
        "password: \"your-password-here\"",
        "apiKey: process.env.API_KEY,",
        "private_key: ed25519.Ed25519PrivateKey,",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
        "String token = request.getHeader(\"X-Auth-Token\");",
        "throw new Error(\"invalid token: expected identifier\");",
        "KEY_PASSWORD_FIELD = \"user_password\"",
        "label.password=Enter your password",
        "<input type=\"password\" name=\"password\">",
        "token = \"<YOUR_TOKEN>\"",
        "secret: \"${{ secrets.GITHUB_TOKEN }}\"",
        "https://user:{password}@example.com/",
        "http://localhost:8080/path@2x.png",
        "git@github.com:owner/repo.git",
        "let sk_test = task_run(sk-circle);",
        "sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "Authorization: Bearer <token>",
        "the bearer authentication-scheme is described in",
        "public_key = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI\"",
        "TokenKind::Identifier => \"identifier_token_name\"",
        "secretName: \"tls-cert-v2-production\"",
        "key = \"arrow_left\"",
        "curl -u \"$USER:$PASSWORD\" https://example.com",
        "curl -u user:<token> https://example.com",
        "headers = {\"X-Api-Key: required\"}",
        "\"primary-key: the column that names a row\"",
        "s.replaceAllOccurrencesOf(x)",
        "pat.match(line).groups.first",
        "API-VERSION-2024-10-01-PREVIEW",
        "?signature=expected_signature_of_the_body_here",
        "sl.exports.default.something.else",
    ] {
        assert_eq!(redact("src/code.ts", text), text);
    }
}

#[test]
fn what_only_speaks_of_secrets_is_left_alone_in_any_file() {
    for text in [
        "token = tokenizer.next()",
        "password: String",
        "def login(password):",
        "if token == expected:",
        "        pass",
        "PASSWORD = os.environ[\"PASSWORD\"]",
        "password = getpass.getpass(\"Password: \")",
        "token: ${{ secrets.TOKEN }}",
        "token: <your-token>",
        "deploy --token $TOKEN --password \"$PASSWORD\"",
        "deploy --password=${PASSWORD} --token=TOKEN",
        "  --password string   the password of the user",
        "  --token-file /run/secrets/token   where the token is read",
        "the password is checked before the token",
        "docker run -p 8080:80 image",
        "mkdir -p x/y2k/z3d",
        "ssh -p 2222 host",
        "sorted(users, key=lambda user: user.password)",
        "token: string",
        "golang.org/x/oauth2 v0.0.0-20190604053449-0f29369cfe45/go.mod",
        "Token::BorrowedStr(\"2016-12-31T23:59:60.000Z\"),",
        "Ok(TrafficSecrets::Chacha20Poly1305 { key })",
        "AUTH_ID = D3D11_MESSAGE_ID_CREATE_SESSION + 1,",
        "author = \"a1b2c3d4e5f6g7h8i9\"",
        "token = self.h2c3.read_token_of(x1y2z3a4b5c6d7e8f9)",
        "let auth = hmac_sha256_of(key_id_2, message);",
        "- name: password\n  value: string",
        "- name: TOKEN\n  valueFrom:\n    secretKeyRef: x",
        "password:\n  type: string\n  minLength: 8",
        "variable \"db_password\" {\n  type = string\n}",
        "<label for=\"password\">Kennwort</label>",
        "<password>${db.password}</password>",
        "token: |\n  the token of the robot\nnext: 1",
        "assert auth.check(\"user\", \"wrong\")",
        "{\"pass\": true, \"passed\": 12, \"token\": null}",
        "bypass = \"v2-legacy\"",
        "/feed?token=TOKEN&page=2",
        "https://example.com/?token={token}",
        "['crc-16-buypass', 'Crc16Buypass', 0x18005]",
        "\".pgpass\",\n\".s3cfg\",",
        "credentials: https://docs.example.com/v2/oauth2/a1b2c3d4",
        "pem_file(\"tests/data/nistp256key.pkcs8.pem\")",
    ] {
        for path in ["a.py", "README.md", "a.yml", "a.sh", "config.json", "INSTALL"] {
            assert_eq!(redact(path, text), text, "{path}");
        }
    }
}

#[test]
fn redacting_twice_changes_nothing_more() {
    for (_, text, _) in secrets() {
        let once = redact("config.yml", &text).into_owned();
        assert_eq!(redact("config.yml", &once), once);
    }
}

proptest! {
    #[test]
    fn the_number_of_lines_stays_and_nothing_panics(
        parts in prop::collection::vec(
            prop_oneof![
                "\\PC{0,20}",
                Just("\n".to_owned()),
                Just("\r\n".to_owned()),
                prop::sample::select(secrets()).prop_map(|(_, text, _)| text),
                Just(armour("BEGIN", "RSA ")),
                Just(armour("END", "RSA ")),
                Just(format!("\n{}\n", random(64, ALNUM))),
                Just("password = \"".to_owned()),
                prop::sample::select(SPELLINGS)
                    .prop_map(|(_, before, after)| format!("{before}{}{after}", alnum(24))),
                prop::sample::select(SPELLINGS).prop_map(|(_, before, _)| before.to_owned()),
                Just("\\".to_owned()),
                "[\"'`(){}\\[\\]<>=:,|?+# \t]{1,8}",
            ],
            0..12,
        ),
        path in prop::sample::select(vec!["a.rs", "a.yml", "env", "README.md"]),
    ) {
        let text = parts.concat();
        let shown = redact(path, &text);
        prop_assert_eq!(shown.lines().count(), text.lines().count());
        prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn a_secret_is_gone_wherever_it_stands(
        (kind, text, secret) in prop::sample::select(secrets()),
        before in "[a-z \n(,;]{0,20}",
        after in "[ \n),;]{0,20}",
    ) {
        let whole = format!("{before}\n{text}{after}");
        prop_assert!(!redact("a.rs", &whole).contains(&secret), "{}: {}", kind, whole);
    }
}
