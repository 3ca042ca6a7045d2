//! Keys that are known by their form, whatever they are assigned to. Sources: the issuers' own documentation and the
//! rules of public secret scanners.

use std::{borrow::Cow, iter, sync::LazyLock};

use regex::{Captures, Regex, RegexSet};

use super::{ascii_words, chain, compile, entropy, replace};

/// Kind and pattern; the group `secret` is what is replaced. No pattern can match across lines.
const FORMATS: [(&str, &str); 107] = [
    ("AWS key", r"\b(?<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b"),
    (
        "AWS secret key",
        r#"(?i)aws[a-z0-9_. -]{0,20}(?:secret|sk)[a-z0-9_. -]{0,20}["']?[ \t]*(?:=>|:=|=|:)[ \t]*["']?(?<secret>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    ("GitHub token", r"\b(?<secret>gh[pousr]_[A-Za-z0-9]{36,})\b"),
    ("GitHub token", r"\b(?<secret>github_pat_[A-Za-z0-9_]{22,})\b"),
    (
        "GitLab token",
        r"\b(?<secret>gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[0-9A-Za-z_-]{20,})",
    ),
    ("Slack token", r"\b(?<secret>xox[abeoprs]-[0-9A-Za-z-]{10,})"),
    ("Slack token", r"\b(?<secret>xapp-[0-9]-[0-9A-Za-z-]{20,})"),
    (
        "Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9/_+-]{20,})",
    ),
    ("Google key", r"\b(?<secret>AIza[0-9A-Za-z_-]{35})"),
    ("Google token", r"\b(?<secret>ya29\.[0-9A-Za-z_-]{20,})"),
    ("Google client secret", r"\b(?<secret>GOCSPX-[0-9A-Za-z_-]{28})"),
    ("model API key", r"\b(?<secret>sk-(?:proj|svcacct|admin|ant|or|lf)-[0-9A-Za-z_-]{20,})"),
    ("model API key", r"\b(?<secret>sk-[0-9A-Za-z]{20,})\b"),
    ("model API key", r"\b(?<secret>(?:gsk_|pplx-|xai-|csk-|nvapi-)[0-9A-Za-z_-]{32,})"),
    ("Stripe key", r"\b(?<secret>[srp]k_(?:test|live|prod)_[0-9A-Za-z]{10,})"),
    ("Stripe webhook secret", r"\b(?<secret>whsec_[0-9A-Za-z+/]{24,})"),
    ("JWT", r"\b(?<secret>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)"),
    ("npm token", r"\b(?<secret>npm_[A-Za-z0-9]{36})\b"),
    ("npm token", r"//[^\s=]+:_(?:authToken|auth|password)=(?<secret>[A-Za-z0-9+/=_.-]{8,})"),
    ("npm token", r"(?m)^_(?:authToken|auth|password)=(?<secret>[A-Za-z0-9+/=_.-]{8,})[ \t]*$"),
    ("PyPI token", r"\b(?<secret>pypi-[A-Za-z0-9_-]{50,})"),
    ("Cargo token", r"\b(?<secret>cio[A-Za-z0-9]{32})\b"),
    ("RubyGems key", r"\b(?<secret>rubygems_[a-f0-9]{48})\b"),
    ("Docker token", r"\b(?<secret>dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,60})"),
    ("Hugging Face token", r"\b(?<secret>(?:hf|api_org)_[A-Za-z0-9]{34})\b"),
    ("Replicate token", r"\b(?<secret>r8_[A-Za-z0-9]{37})\b"),
    ("SendGrid key", r"\b(?<secret>SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"),
    ("Mailgun key", r"\b(?<secret>key-[0-9a-f]{32})\b"),
    ("Mailchimp key", r"\b(?<secret>[0-9a-f]{32}-us[0-9]{1,2})\b"),
    ("Twilio key", r"\b(?<secret>SK[0-9a-f]{32})\b"),
    ("Telegram token", r"\b(?<secret>[0-9]{8,10}:AA[A-Za-z0-9_-]{33})"),
    (
        "Discord webhook",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/(?<secret>[A-Za-z0-9_-]{50,})",
    ),
    ("DigitalOcean token", r"\b(?<secret>do[opr]_v1_[a-f0-9]{64})\b"),
    ("Databricks token", r"\b(?<secret>dapi[0-9a-f]{32}(?:-[0-9])?)\b"),
    ("Vault token", r"\b(?<secret>hv[sbr]\.[A-Za-z0-9_-]{24,})"),
    ("Shopify token", r"\b(?<secret>shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b"),
    (
        "Square token",
        r"\b(?<secret>(?:sq0[a-z]{3}-[0-9A-Za-z_-]{22,60}|EAAA[a-zA-Z0-9_-]{60}))(?:[^A-Za-z0-9_+/=-]|$)",
    ),
    ("Linear key", r"\b(?<secret>lin_(?:api|oauth)_[A-Za-z0-9]{32,64})\b"),
    (
        "Grafana token",
        r"\b(?<secret>gl(?:c_[A-Za-z0-9+/=]{32,}|sa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}))",
    ),
    ("New Relic key", r"\b(?<secret>NR(?:AK-[A-Z0-9]{27}|II-[A-Za-z0-9_-]{32}))"),
    ("Postman key", r"\b(?<secret>PMAK-[0-9a-f]{24}-[0-9a-f]{34})\b"),
    ("Atlassian token", r"\b(?<secret>ATATT3[A-Za-z0-9_=-]{50,})"),
    ("Tailscale key", r"\b(?<secret>tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,})"),
    ("age secret key", r"\b(?<secret>AGE-SECRET-KEY-1[0-9A-Z]{58})\b"),
    ("Alibaba Cloud key", r"\b(?<secret>LTAI[A-Za-z0-9]{12,26})\b"),
    ("Tencent Cloud key", r"\b(?<secret>AKID[A-Za-z0-9]{32})\b"),
    (
        "1Password key",
        r"\b(?<secret>A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3})\b",
    ),
    ("1Password token", r"\b(?<secret>ops_eyJ[A-Za-z0-9+/=_-]{100,})"),
    ("Adobe client secret", r"\b(?<secret>p8e-[A-Za-z0-9_-]{32})\b"),
    ("Airtable token", r"\b(?<secret>pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b"),
    ("Artifactory token", r"\b(?<secret>AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})\b"),
    ("AWS key", r"\b(?<secret>ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{24,})"),
    (
        "Azure client secret",
        r"(?:^|[^\w.~-])(?<secret>[\w.~-]{3}[0-9]Q~[\w.~-]{31,34})(?:[^\w.~-]|$)",
    ),
    ("Baidu Cloud key", r"\b(?<secret>bce-v3/ALTAK-[A-Za-z0-9]{15,}/[a-f0-9]{40})\b"),
    ("Brevo key", r"\b(?<secret>xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})\b"),
    ("ClickHouse key", r"\b(?<secret>4b1d[A-Za-z0-9]{38})\b"),
    ("Clojars token", r"\b(?<secret>CLOJARS_[A-Za-z0-9]{60})\b"),
    ("Cloudflare key", r"\b(?<secret>v1\.0-[a-f0-9]{24}-[a-f0-9]{146})\b"),
    ("Contentful token", r"\b(?<secret>CFPAT-[A-Za-z0-9_-]{43})"),
    (
        "Doppler token",
        r"\b(?<secret>dp\.(?:audit|ct|pt|sa|scim|st)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})\b",
    ),
    ("Dropbox token", r"\b(?<secret>sl\.[A-Za-z0-9_=-]{130,})"),
    ("Duffel token", r"\b(?<secret>duffel_(?:test|live)_[A-Za-z0-9_=-]{43})"),
    ("Dynatrace token", r"\b(?<secret>dt0[a-z][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64})\b"),
    ("EasyPost key", r"\b(?<secret>EZ[AT]K[A-Za-z0-9]{54})\b"),
    ("Facebook token", r"\b(?<secret>EAA[A-Z][A-Za-z0-9]{90,}|[0-9]{15,16}\|[A-Za-z0-9_-]{27,40})"),
    ("Figma token", r"\b(?<secret>figd_[A-Za-z0-9_-]{40})"),
    ("Flutterwave key", r"\b(?<secret>FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?)\b"),
    ("Fly token", r"\b(?<secret>fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3})"),
    ("Frame.io token", r"\b(?<secret>fio-u-[A-Za-z0-9_=-]{64})"),
    ("GitLab token", r"\b(?<secret>GR1348941[A-Za-z0-9_-]{20})"),
    ("GitLab session", r"\b_gitlab_session=(?<secret>[0-9a-z]{32})"),
    ("Grafana token", r"\b(?<secret>eyJrIjoi[A-Za-z0-9]{60,}={0,3})"),
    (
        "Harness token",
        r"\b(?<secret>[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20})\b",
    ),
    ("Heroku key", r"\b(?<secret>HRKU-[A-Za-z0-9_-]{36,60})"),
    ("Infracost key", r"\b(?<secret>ico-[A-Za-z0-9]{32})\b"),
    ("LangSmith key", r"\b(?<secret>lsv2_[ps][kt]_[a-f0-9]{32}_[a-f0-9]{10})\b"),
    ("MaxMind key", r"\b(?<secret>[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b"),
    ("Notion token", r"\b(?<secret>ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})\b"),
    ("Octopus key", r"\b(?<secret>API-[A-Z0-9]{26})\b"),
    ("OpenShift token", r"\b(?<secret>sha256~[A-Za-z0-9_-]{43})"),
    ("Pinecone key", r"\b(?<secret>pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,})\b"),
    ("PlanetScale token", r"\b(?<secret>pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,64})"),
    ("Prefect key", r"\b(?<secret>pn[bu]_[A-Za-z0-9]{36})\b"),
    ("Pulumi token", r"\b(?<secret>pul-[a-f0-9]{40})\b"),
    ("ReadMe key", r"\b(?<secret>rdme_[a-z0-9]{70})\b"),
    ("Scalingo token", r"\b(?<secret>tk-us-[A-Za-z0-9_-]{48})"),
    ("Sentry token", r"\b(?<secret>sntry[su]_[A-Za-z0-9+/=_-]{60,})"),
    ("SettleMint token", r"\b(?<secret>sm_[aps]at_[A-Za-z0-9]{16})\b"),
    ("Shippo token", r"\b(?<secret>shippo_(?:live|test)_[a-fA-F0-9]{40})\b"),
    ("SonarQube token", r"\b(?<secret>sq[apu]_[a-f0-9]{40})\b"),
    ("Sourcegraph token", r"\b(?<secret>sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40})\b"),
    ("Supabase key", r"\b(?<secret>sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})\b"),
    ("Teams webhook", r"\.webhook\.office\.com/webhookb2/(?<secret>[A-Za-z0-9@/-]{60,})"),
    ("Terraform token", r"\b(?<secret>[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,})"),
    ("Typeform token", r"\b(?<secret>tfp_[A-Za-z0-9_.=-]{40,})"),
    ("Yandex key", r"\b(?<secret>AQVN[A-Za-z0-9_-]{35,38})"),
    ("Zhipu key", r"\b(?<secret>[a-f0-9]{32}\.[A-Za-z0-9]{16})\b"),
    ("JWT", r"\b(?<secret>ZXlK[A-Za-z0-9+/_-]{60,}={0,2})"),
    (
        "signed URL",
        r"[?&](?:sig|[Ss]ignature|X-(?:Amz|Goog)-Signature)=(?<secret>[A-Za-z0-9%/+_-]{32,}=?)",
    ),
    (
        "key in a header",
        r#"(?i)["'](?:authorization[ \t]*:[ \t]*(?:token|key|api-?key|apitoken)[ \t]+|(?:x-)?[a-z0-9-]{0,20}(?:key|token)[ \t]*:[ \t]*)(?<secret>[A-Za-z0-9][A-Za-z0-9._~+/=-]{15,})["']"#,
    ),
    (
        "password of a command",
        r#"\b(?:curl\b[^\n]{0,200}?[ \t](?:-u|--user)(?:[ \t]*=?[ \t]*)["']?[^\s"':$<{]{1,60}:|(?:mysql|mariadb|sshpass)[a-z_-]{0,12}\b[^\n|;&]{0,200}?[ \t]-p["']?|(?:sshpass|mongo[a-z]{0,10}|(?:docker|podman|nerdctl|helm|oc|az|skopeo|buildah)\b[^\n|;&]{0,60}?[ \t]login)\b[^\n|;&]{0,200}?[ \t]-p[ \t=]["']?|redis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t]["']?|ldap[a-z]{3,10}\b[^\n|;&]{0,200}?[ \t]-w[ \t]["']?|sqlcmd\b[^\n|;&]{0,200}?[ \t]-P[ \t]["']?)(?<secret>[^\s"'`$<{-][^\s"'`$<{]{3,})"#,
    ),
    (
        "password of a feed",
        r#"(?i)<add[ \t]+key="(?:cleartext)?password"[ \t]+value="(?<secret>[^"%$]{4,})""#,
    ),
    (
        "password of a statement",
        r"(?i)\b(?:create|alter|grant)\b[^\n;]{0,200}?\bidentified[ \t]+by[ \t]+(?:password[ \t]+)?'(?<secret>[^'\n]{4,})'",
    ),
    ("bearer token", r#"(?i)\bbearer[ \t]+(?<secret>[A-Za-z0-9][A-Za-z0-9._~+/=-]{15,})"#),
    (
        "basic credentials",
        r#"(?i)authorization["']?[ \t]*[:=,][ \t]*["']?basic[ \t]+(?<secret>[A-Za-z0-9+/]{8,}={0,2})"#,
    ),
    (
        "password in a URL",
        r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@"'`<>{}$%*]*:(?<secret>[^\s:/@"'`<>{}$*]{3,})@[^\s"'`<>]"#,
    ),
    (
        "connection string password",
        r#"(?i)[;"'\s](?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature)[ \t]?=[ \t]?(?<secret>[^\s;"'`<>{}$,()]{4,});"#,
    ),
];

/// Repetitions that the first look at a text counts.
const MOST_COUNTED: u32 = 6;

struct Formats {
    /// Says quickly which of them a text may hold.
    set: RegexSet,
    each: Vec<(&'static str, Regex)>,
}

#[allow(clippy::expect_used, reason = "constants; a test compiles every one")]
static COMPILED: LazyLock<Formats> = LazyLock::new(|| Formats {
    set: RegexSet::new(FORMATS.map(|(_, pattern)| ascii_words(&uncounted(pattern))))
        .expect("the patterns are constants that a test compiles"),
    each: FORMATS.iter().map(|&(kind, pattern)| (kind, compile(pattern))).collect(),
});

/// The pattern with every longer repetition as "so many or more": it matches wherever the pattern does. Counting needs a
/// state for each repetition, in a set of them so many that the automaton for all no longer fits its cache and is slow.
fn uncounted(pattern: &str) -> String {
    static COUNTS: LazyLock<Regex> = LazyLock::new(|| compile(r"\{(\d+)(,\d*)?\}"));
    let shorter = |counts: &Captures<'_>| {
        let least: u32 = counts[1].parse().unwrap_or(0);
        format!("{{{},}}", least.min(MOST_COUNTED))
    };
    COUNTS.replace_all(pattern, shorter).into_owned()
}

/// Replaces every key of a known form.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let found = COMPILED.set.matches(text);
    let mut text = Cow::Borrowed(text);
    for (kind, pattern) in found.iter().filter_map(|i| COMPILED.each.get(i)) {
        text = chain(text, |text| {
            let secrets = pattern.captures_iter(text).filter_map(|found| found.name("secret"));
            let secrets = secrets.filter(|secret| is_real(kind, secret.as_str()));
            replace(text, secrets.map(|secret| (secret.range(), *kind)).collect())
        });
    }
    text
}

/// Whether a name of a file holds a key of a known form, alone or behind `_`.
pub(crate) fn holds_key(name: &str) -> bool {
    let joints = name.match_indices('_').map(|(at, joint)| at + joint.len());
    let mut tails = iter::once(0).chain(joints).filter_map(|start| name.get(start..));
    tails.any(|tail| matches!(redact(tail), Cow::Owned(_)))
}

/// Tells keys from what documentation writes in their place.
fn is_real(kind: &str, secret: &str) -> bool {
    let has_digit = secret.bytes().any(|b| b.is_ascii_digit());
    match kind {
        "password in a URL"
        | "connection string password"
        | "password of a command"
        | "password of a feed"
        | "password of a statement" => !super::value::is_placeholder(secret),
        // `Bearer authentication-scheme` is prose, `bearer` and a key is not.
        "bearer token" | "key in a header" | "signed URL" => has_digit && entropy(secret) > 3.0,
        "basic credentials" => true,
        // A placeholder such as `ghp_xxxxxxxxxxxx` says nothing.
        _ => entropy(secret) > 2.5 && !secret.ends_with("EXAMPLE"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_the_group_that_is_replaced() {
        for (kind, pattern) in &COMPILED.each {
            assert!(pattern.capture_names().flatten().any(|n| n == "secret"), "{kind}");
        }
        assert_eq!(COMPILED.set.len(), FORMATS.len());
    }
}
