static IMAGES: &[u8] = curvesmith_field_dsl::common_images!(1);

fn main() {
    let _ = IMAGES;
}
