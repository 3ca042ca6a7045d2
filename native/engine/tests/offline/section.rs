//! Records of the sections of a README, and of what a declaration file says beside the code.

use ouro_core::{Language, LearningRecord};

use crate::stage::{Stage, citations};

const MANIFEST: &str = "{\"name\": \"tide\", \"version\": \"1.0.0\", \"description\": \"Tells the tide of a harbour\", \"main\": \"index.js\"}\n";
const CODE: &str = "export default function tide(harbour) {\n\treturn height(harbour);\n}\n\nexport function height(harbour) {\n\tif (!harbour) {\n\t\tthrow new TypeError('a harbour is needed');\n\t}\n\treturn harbour.length;\n}\n";
const README: &str = "# tide\n\nSome words on what this is about.\n\n## Install\n\nRun the installer of your choice twice.\n\n\
    ## API\n\n### tide.height(harbour[, day])\n\nReturns how high the water stands at a harbour.\n\n```js\nheight('Dover');\nheight('Brest');\n```\n\n\
    #### day\n\nThe day for which the height is told.\n\n### Spring tides\n\nA spring tide comes twice a month. The moon and the sun pull together then.\n\n\
    ### Limits\n\n- Harbours of lakes are not known\n- Days before this century are refused\n\n### Empty\n\n![a picture](of.png)\n\n## License\n\nMIT is the licence of all of this.\n";
const FILES: [(&str, &str); 3] =
    [("package.json", MANIFEST), ("index.js", CODE), ("README.md", README)];

async fn records(files: &[(&str, &str)], language: Language) -> Vec<LearningRecord> {
    Stage::of(files).learn(20, language).await
}

fn about<'r>(records: &'r [LearningRecord], subject: &str) -> &'r str {
    let found = records.iter().find(|r| r.topic.as_ref().unwrap().subject == subject);
    found.map_or_else(|| panic!("no record about {subject}"), |r| &r.answer)
}

#[tokio::test]
async fn a_section_is_told_with_its_example_and_the_code_that_it_documents() {
    let records = records(&FILES, Language::English).await;
    let height = about(&records, "section:README.md#tide.height(harbour[, day])");
    assert!(height.contains("`height` returns how high the water stands"), "{height}");
    assert!(height.contains("function `height` (`index.js:5`)"), "{height}");
    assert!(
        height.contains("(`README.md:16-17`)") && height.contains("height('Brest');"),
        "{height}"
    );
    assert!(
        height.contains("- “day”: The day for which the height is told (`README.md:22`)"),
        "{height}"
    );
    let limits = about(&records, "section:README.md#Limits");
    assert!(limits.contains("- Days before this century are refused (`README.md:31`)"), "{limits}");
    let spring = about(&records, "section:README.md#Spring tides");
    assert!(spring.contains("“A spring tide comes twice a month” (`README.md:26`)"), "{spring}");
}

#[tokio::test]
async fn what_says_nothing_of_the_code_is_no_section_to_ask_about() {
    for record in records(&FILES, Language::English).await {
        let subject = &record.topic.as_ref().unwrap().subject;
        assert!(
            !["Install", "License", "Empty", "API"].iter().any(|t| subject.ends_with(t)),
            "{subject}"
        );
    }
}

#[tokio::test]
async fn a_section_is_told_in_chinese_around_its_own_words() {
    let records = records(&FILES, Language::Chinese).await;
    let spring = about(&records, "section:README.md#Spring tides");
    assert!(spring.contains("文档写道：“A spring tide comes twice a month”"), "{spring}");
    assert!(citations(spring).iter().all(|(path, ..)| path == "README.md"), "{spring}");
}

const HEADER: &str = "/** How a tide is told. */\nexport type Telling = {\n\t/** The unit that heights are given in. */\n\tunit: string;\n\n\t/** Whether the moon is looked at too. */\n\tmoon: boolean;\n};\n\n\
    /** Tells when the water is highest. */\nexport default function tide(harbour: string): Telling;\n\nexport function height(harbour: string): number;\n";

#[tokio::test]
async fn a_declaration_and_its_code_are_one_thing_and_a_named_form_of_objects_is_a_type() {
    let files = [FILES[0], FILES[1], ("index.d.ts", HEADER)];
    let records = records(&files, Language::English).await;
    let overview = about(&records, "overview");
    assert!(
        overview.contains("`tide`: Tells when the water is highest (`index.d.ts:"),
        "{overview}"
    );
    assert_eq!(overview.matches("function `height`").count(), 1, "{overview}");
    assert!(
        overview.contains("`function height(harbour)` (`index.js:5`)")
            || overview.contains("`height`, `function height(harbour)`"),
        "{overview}"
    );
    let telling = about(&records, "symbol:index.d.ts#Telling");
    assert!(
        telling.contains("- `moon`: Whether the moon is looked at too (`index.d.ts:6-7`)"),
        "{telling}"
    );
}

#[tokio::test]
async fn a_heading_that_stands_under_several_things_has_no_record_of_its_own() {
    let readme = "# tide\n\nSome words on what this is about.\n\n## API\n\n### tide.height(harbour)\n\nReturns how high the water stands at a harbour.\n\n#### depth\n\nHow deep a harbour has to be. Shallow water is no harbour.\n\n\
                  ### tide.depth(harbour)\n\nReturns how deep the water is in a harbour.\n\n### depth\n\nHow deep a harbour has to be. It must not be empty.\n";
    let records = records(&[FILES[0], FILES[1], ("README.md", readme)], Language::English).await;
    let subjects = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    assert!(!subjects.collect::<Vec<_>>().contains(&"section:README.md#depth"), "{records:#?}");
}

#[tokio::test]
async fn what_only_those_need_who_come_from_another_version_is_no_record() {
    let readme = README.replace("### Spring tides", "### Tides of v1.x");
    let files = [FILES[0], FILES[1], ("README.md", readme.as_str())];
    let records = records(&files, Language::English).await;
    let subjects = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    assert!(subjects.clone().any(|s| s.ends_with("#Limits")));
    assert!(!subjects.clone().any(|s| s.contains("v1.x")), "{records:#?}");
}

#[tokio::test]
async fn a_project_of_documents_alone_is_learnt_from_all_of_them() {
    let guide = "# The mill\n\nThe mill grinds the corn of three villages, on two days of the week.\n\n\
        ## Opening days\n\nThe mill is open on Tuesdays and on Fridays. Corn that comes later waits for a day.\n\n\
        ## Who pays\n\nEach farmer leaves a tenth of the flour to the miller. A widow leaves nothing at all.\n";
    let stones = "# The stones\n\nTwo stones lie on each other, and the upper one turns.\n\n\
        ## Sharpening\n\nThe stones are sharpened once a month. It takes a whole day with hammer and chisel.\n";
    let records =
        records(&[("guide.md", guide), ("mill/stones.md", stones)], Language::English).await;
    let days = about(&records, "section:guide.md#Opening days");
    assert!(
        days.contains("“The mill is open on Tuesdays and on Fridays” (`guide.md:7`)"),
        "{days}"
    );
    let stones = about(&records, "section:mill/stones.md#Sharpening");
    assert!(stones.contains("sharpened once a month"), "{stones}");
    let whole = about(&records, "overview");
    assert!(whole.contains("The mill grinds the corn of three villages"), "{whole}");
    assert!(records.iter().all(|r| !r.question.contains(" code ")), "{records:#?}");
}
