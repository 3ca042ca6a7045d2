//! `pom.xml`.

use ouro_core::analysis::{CitedText, Dependency};
use roxmltree::{Document, Node};

use super::{BuildFile, cited, line_of, manifest};

pub(super) fn read(path: &str, text: &str) -> Option<BuildFile> {
    let document = Document::parse(text).ok()?;
    let project = document.root_element();
    if project.tag_name().name() != "project" {
        return None;
    }
    let mut build = BuildFile { manifest: manifest(path, "maven"), entries: Vec::new() };
    let own = |name| child(project, name).and_then(|node| content(text, node));
    let of_parent =
        |name| child(child(project, "parent")?, name).and_then(|node| content(text, node));
    build.manifest.name = own("artifactId");
    build.manifest.version = own("version").or_else(|| of_parent("version"));
    build.manifest.description = own("description");
    let managed = child(project, "dependencyManagement");
    for holder in [Some(project), managed].into_iter().flatten() {
        let list = child(holder, "dependencies");
        for node in list.iter().flat_map(Node::children).filter(|n| n.has_tag_name_of("dependency"))
        {
            let part = |name| child(node, name).and_then(|n| content(text, n));
            let (Some(group), Some(artifact)) = (part("groupId"), part("artifactId")) else {
                continue;
            };
            build.manifest.dependencies.push(Dependency {
                name: format!("{}:{}", group.text, artifact.text),
                version: part("version").map(|v| v.text).unwrap_or_default(),
                line: artifact.start_line,
                development: part("scope").is_some_and(|scope| scope.text == "test"),
            });
        }
    }
    build.manifest.dependencies.sort_by_key(|d| d.line);
    Some(build)
}

/// Tags are compared without their namespace, which some files leave out.
trait TagName {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl TagName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.has_tag_name_of(name))
}

/// The text of an element on one line, and the lines it takes.
fn content(text: &str, node: Node<'_, '_>) -> Option<CitedText> {
    let inner = node.text()?;
    let words: Vec<&str> = inner.split_whitespace().collect();
    let start = line_of(text, node.range().start);
    let end = line_of(text, node.range().end);
    (!words.is_empty()).then(|| CitedText { end_line: end, ..cited(words.join(" "), start) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_tells_its_name_and_needs() {
        let text = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n <parent>\n  <version>2</version>\n </parent>\n <artifactId>app</artifactId>\n <description>\n  Does\n  it.\n </description>\n <dependencies>\n  <dependency>\n   <groupId>g</groupId>\n   <artifactId>a</artifactId>\n   <version>1</version>\n   <scope>test</scope>\n  </dependency>\n </dependencies>\n</project>";
        let manifest = read("pom.xml", text).unwrap().manifest;
        assert_eq!(manifest.name.unwrap(), cited("app", 5));
        assert_eq!(manifest.version.unwrap(), cited("2", 3));
        let description = manifest.description.unwrap();
        assert_eq!(
            (description.text.as_str(), description.start_line, description.end_line),
            ("Does it.", 6, 9)
        );
        let dependency =
            Dependency { name: "g:a".into(), version: "1".into(), line: 13, development: true };
        assert_eq!(manifest.dependencies, [dependency]);
    }

    #[test]
    fn deep_nesting_and_broken_xml_are_survived() {
        let deep = "<project>".repeat(50_000) + &"</project>".repeat(50_000);
        assert_eq!(read("pom.xml", &deep).unwrap().manifest.name, None);
        assert!(read("pom.xml", "<project><artifactId>").is_none());
        assert!(read("pom.xml", "<other/>").is_none());
    }
}
