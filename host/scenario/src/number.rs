//! Numbers as people read them.

/// 1234567 as `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 path`, `2 paths`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let shown = [0, 7, 999, 1000, 104_704, 1_234_567, u64::MAX].map(count);
        assert_eq!(shown, ["0", "7", "999", "1,000", "104,704", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn one_of_a_kind_is_singular() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "path")), ["0 paths", "1 path", "2 paths"]);
    }
}
