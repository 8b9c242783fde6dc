//! Files for a deployment, as one multipart body.

pub(crate) struct NewFile {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

/// The media type and the body.
pub(super) fn encode(files: &[NewFile]) -> (String, Vec<u8>) {
    let boundary = boundary(files);
    let mut body = Vec::new();
    for file in files {
        let name: String =
            file.name.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect();
        body.extend_from_slice(
            format!(
                "--{boundary}\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"{name}\"\r\n\
                 content-type: application/octet-stream\r\n\r\n"
            )
            .as_bytes(),
        );
        body.extend_from_slice(&file.content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// A line that occurs in none of the files.
fn boundary(files: &[NewFile]) -> String {
    let occurs = |text: &str| {
        files.iter().any(|file| file.content.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    (0..)
        .map(|number| format!("tidemill-{number}"))
        .find(|candidate| !occurs(candidate))
        .expect("files are finite")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_occurs_in_no_file() {
        let file = NewFile { name: "a\"b.bpmn".to_owned(), content: b"x --tidemill-0 y".to_vec() };
        let (media_type, body) = encode(&[file]);
        assert_eq!(media_type, "multipart/form-data; boundary=tidemill-1");
        let body = String::from_utf8(body).expect("text");
        assert!(body.contains("filename=\"a_b.bpmn\""));
        assert!(body.ends_with("\r\n--tidemill-1--\r\n"));
    }
}
