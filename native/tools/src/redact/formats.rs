//! Keys that are known by their form, whatever they are assigned to. Sources: the issuers' own documentation and the
//! rules of public secret scanners.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Regex, RegexSet};

use super::{ascii_words, compile, entropy, replace_secret};

/// Kind and pattern; the group `secret` is what is replaced. No pattern can match across lines.
const FORMATS: [(&str, &str); 50] = [
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
    ("New Relic key", r"\b(?<secret>NRAK-[A-Z0-9]{27})\b"),
    ("Postman key", r"\b(?<secret>PMAK-[0-9a-f]{24}-[0-9a-f]{34})\b"),
    ("Atlassian token", r"\b(?<secret>ATATT3[A-Za-z0-9_=-]{50,})"),
    ("Tailscale key", r"\b(?<secret>tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,})"),
    ("age secret key", r"\b(?<secret>AGE-SECRET-KEY-1[0-9A-Z]{58})\b"),
    ("Alibaba Cloud key", r"\b(?<secret>LTAI[A-Za-z0-9]{12,26})\b"),
    ("Tencent Cloud key", r"\b(?<secret>AKID[A-Za-z0-9]{32})\b"),
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

struct Formats {
    set: RegexSet,
    each: Vec<(&'static str, Regex)>,
}

#[allow(clippy::expect_used, reason = "constants; a test compiles every one")]
static COMPILED: LazyLock<Formats> = LazyLock::new(|| Formats {
    set: RegexSet::new(FORMATS.map(|(_, pattern)| ascii_words(pattern)))
        .expect("the patterns are constants that a test compiles"),
    each: FORMATS.iter().map(|&(kind, pattern)| (kind, compile(pattern))).collect(),
});

/// Replaces every key of a known form.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let found = COMPILED.set.matches(text);
    let mut text = Cow::Borrowed(text);
    for (kind, pattern) in found.iter().filter_map(|i| COMPILED.each.get(i)) {
        let step =
            replace_secret(pattern, &text, |_, secret| is_real(kind, secret).then_some(kind));
        if let Cow::Owned(changed) = step {
            text = Cow::Owned(changed);
        }
    }
    text
}

/// Tells keys from what documentation writes in their place.
fn is_real(kind: &str, secret: &str) -> bool {
    let has_digit = secret.bytes().any(|b| b.is_ascii_digit());
    match kind {
        "password in a URL" | "connection string password" => {
            !super::assignment::is_placeholder(secret)
        }
        // `Bearer authentication-scheme` is prose, `bearer` and a key is not.
        "bearer token" => has_digit && entropy(secret) > 3.0,
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
