//! Constraints in circom's format, for the circuit of the small fixtures.

use super::{BN_MULT, bls12_381, bn254, fixture};
use crate::R1cs;
use crate::snarkjs::{R1csFile, SnarkjsCurve, modulus, read_witness};
use curvesmith_runtime::group::PairingCurve;
use curvesmith_runtime::{Csr, field::Field};

type Fr = <<bn254::Curve as PairingCurve>::Fr as Field>::Ark;
type Row<'a> = &'a [(u32, i64)];

/// w = (1, c·a, a·c², a, c): two outputs, a public input and a private one.
const CIRCUIT: [[Row<'_>; 3]; 2] = [[&[(3, 1)], &[(4, 1)], &[(1, 1)]], [&[(3, -1)], &[(1, 1)], &[(2, -1)]]];

fn element(value: i64) -> Vec<u8> {
    use ark_ff::{BigInteger, PrimeField};
    Fr::from(value).into_bigint().to_bytes_le()
}

fn header(prime: &[u8], counts: [u32; 4], constraints: u32) -> Vec<u8> {
    let mut bytes = (prime.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(prime);
    counts.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
    bytes.extend(99u64.to_le_bytes());
    bytes.extend(constraints.to_le_bytes());
    bytes
}

fn constraints(rows: &[[Row<'_>; 3]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in rows.as_flattened() {
        bytes.extend((row.len() as u32).to_le_bytes());
        for (wire, value) in *row {
            bytes.extend(wire.to_le_bytes());
            bytes.extend(element(*value));
        }
    }
    bytes
}

fn file(sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"r1cs\x01\0\0\0".to_vec();
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (id, content) in sections {
        bytes.extend(id.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(content);
    }
    bytes
}

fn prime() -> Vec<u8> {
    modulus::<Fr>().to_bytes_le()
}

/// A circuit with this coefficient in each of its rows.
pub(super) fn with_coefficient(value: i64) -> Vec<u8> {
    let row: Row<'_> = &[(1, value)];
    file(&[(2, constraints(&[[row; 3]; 2])), (1, header(&prime(), [5, 2, 1, 1], 2))])
}

/// The file as circom writes it, labels included.
fn good() -> Vec<(u32, Vec<u8>)> {
    vec![(2, constraints(&CIRCUIT)), (1, header(&prime(), [5, 2, 1, 1], 2)), (3, vec![0; 40])]
}

fn read(bytes: Vec<u8>) -> Result<R1cs<Fr>, String> {
    let file = R1csFile::from_bytes(bytes).map_err(|error| error.to_string())?;
    file.read().map_err(|error| error.to_string())
}

#[test]
fn constraints_are_read_and_hold_for_the_fixture() {
    let opened = R1csFile::from_bytes(file(&good())).unwrap();
    let sizes = opened.dimensions();
    assert_eq!((opened.curve(), sizes.wires, sizes.constraints), (SnarkjsCurve::Bn128, 5, 2));
    assert_eq!((sizes.public_outputs, sizes.public_inputs, sizes.private_inputs), (2, 1, 1));
    let r1cs: R1cs<Fr> = opened.read().unwrap();
    let one = Fr::from(1);
    let row_offsets = vec![0, 1, 2];
    let expected = |columns, values| Csr { row_offsets: row_offsets.clone(), columns, values, width: 5 };
    assert_eq!(r1cs.a, expected(vec![3, 3], vec![one, -one]));
    assert_eq!(r1cs.b, expected(vec![4, 1], vec![one, one]));
    assert_eq!(r1cs.c, expected(vec![1, 2], vec![one, -one]));

    let witness = read_witness::<Fr>(&fixture(BN_MULT, "witness.wtns"), None).unwrap();
    assert_eq!(r1cs.first_unsatisfied(&witness), None);
    for (wire, constraint) in [(1, 0), (2, 1), (4, 0)] {
        let mut wrong = witness.to_vec();
        wrong[wire] += one;
        assert_eq!(r1cs.first_unsatisfied(&wrong), Some(constraint), "wire {wire}");
    }
    assert_eq!(r1cs.first_unsatisfied(&witness[..2]), Some(0));
}

#[test]
fn private_inputs_that_were_removed_have_no_wire() {
    let counts = [5, 2, 1, 6];
    let r1cs = read(file(&[(1, header(&prime(), counts, 2)), (2, constraints(&CIRCUIT))])).unwrap();
    assert_eq!(r1cs.a.width, 5);
    let witness = read_witness::<Fr>(&fixture(BN_MULT, "witness.wtns"), None).unwrap();
    assert_eq!(r1cs.first_unsatisfied(&witness), None);
}

#[test]
fn more_than_a_block_is_read() {
    // Rows of 36 bytes an entry do not end where blocks do.
    let entries: Vec<(u32, i64)> = (0..5000).map(|i| (4999 - i, i64::from(i))).collect();
    let rows: Vec<[Row<'_>; 3]> =
        (0..40).map(|i| [&entries[..i * 100], &entries[i..][..1], &entries[..i % 2]]).collect();
    let bytes = file(&[(1, header(&prime(), [5000, 0, 0, 0], 40)), (2, constraints(&rows))]);
    let r1cs = read(bytes).unwrap();
    for (matrix, which) in [(&r1cs.a, 0), (&r1cs.b, 1), (&r1cs.c, 2)] {
        for (i, row) in rows.iter().enumerate() {
            let range = matrix.row_offsets[i] as usize..matrix.row_offsets[i + 1] as usize;
            let found = range.map(|at| (matrix.columns[at], matrix.values[at]));
            assert!(found.eq(row[which].iter().map(|(wire, value)| (*wire, Fr::from(*value)))), "row {i}");
        }
    }
}

#[test]
fn circuits_that_lie_are_refused() {
    let refused = |sections: &[(u32, Vec<u8>)], message: &str| {
        let error = read(file(sections)).expect_err(message);
        assert!(error.starts_with("circuit: ") && error.contains(message), "{error:?} has no {message:?}");
    };
    let with_header = |header| [(1, header), (2, constraints(&CIRCUIT))];
    let with_rows = |rows: &[[Row<'_>; 3]]| [(1, header(&prime(), [5, 2, 1, 1], 2)), (2, constraints(rows))];
    let counts = [5, 2, 1, 1];
    refused(&[], "section 1 (header) is missing");
    refused(&good()[1..], "section 2 (constraints) is missing");
    refused(&[good(), good()].concat(), "section 1 (header) appears more than once");
    let mut other = prime();
    other[0] ^= 2;
    refused(&with_header(header(&other, counts, 2)), "that of bn128 or bls12381");
    let mut long = prime();
    long.extend([0; 8]);
    refused(&with_header(header(&long, counts, 2)), "n8 is 40, expected 32");
    refused(&with_header(header(&[0; 300], counts, 2)), "expected at most 256");
    refused(&with_header(header(&prime(), [3, 2, 1, 1], 2)), "number of wires is 3, expected at least 4");
    refused(&with_header(header(&prime(), [u32::MAX; 4], 2)), "expected at least 8589934591");
    let short = header(&prime(), counts, 2);
    refused(&with_header(short[..short.len() - 1].to_vec()), "section 1 (header) has 63 bytes");
    refused(&with_header([short, vec![0]].concat()), "section 1 (header) has 65 bytes, expected 64");

    refused(&with_header(header(&prime(), counts, u32::MAX)), "expected at least 51539607540");
    refused(
        &with_header(header(&prime(), counts, 3)),
        "section 2 (constraints) has 240 bytes, expected at least 244",
    );
    refused(&with_header(header(&prime(), counts, 1)), "section 2 (constraints) has 240 bytes, expected 120");
    let mut rows = constraints(&CIRCUIT);
    rows[..4].fill(0xff);
    refused(&[good()[1].clone(), (2, rows)], "expected at least 154618822624");
    let mut rows = constraints(&CIRCUIT);
    rows[8..40].fill(0xff);
    refused(&[good()[1].clone(), (2, rows)], "a value in A of constraint 0 is not below it");
    refused(
        &with_rows(&[CIRCUIT[0], [&[], &[(5, 1)], &[]]]),
        "a wire in B of constraint 1 is 5, expected below 5",
    );
    refused(
        &with_rows(&[[&[], &[], &[(3, 1), (2, 1), (3, 1)]], CIRCUIT[1]]),
        "a wire in C of constraint 0 is 3 twice",
    );
    for id in [4, 5] {
        let gates = |content: &[u8]| [good(), vec![(id, content.to_vec())]].concat();
        assert!(read(file(&gates(&[0; 4]))).is_ok());
        refused(&gates(&[1, 0, 0, 0]), "count is 1, expected 0");
        refused(&gates(&[0; 3]), "expected at least 4");
    }
    type Other = <<bls12_381::Curve as PairingCurve>::Fr as Field>::Ark;
    let error = R1csFile::from_bytes(file(&good())).unwrap().read::<Other>().unwrap_err();
    assert!(error.to_string().contains("curve is bn128, expected bls12381"), "{error}");
    let bytes = file(&good());
    (0..bytes.len()).for_each(|end| assert!(read(bytes[..end].to_vec()).is_err(), "cut at {end}"));
}
