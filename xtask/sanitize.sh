#!/usr/bin/env bash
# Runs compute-sanitizer's four tools over MSM, NTT, SpMV and proofs on a GPU; any finding fails.
#
#   xtask/sanitize.sh BINARY FIXTURES [COMPUTE_SANITIZER]
#
# BINARY is the command line `curvesmith`, FIXTURES the folder tests/fixtures. Without a GPU it says so and
# ends with 0, unless REQUIRE_GPU=1.
set -euo pipefail
binary=$1 fixtures=$2 sanitizer=${3:-compute-sanitizer}
if ! "$binary" devices | grep -q '^cuda .*usable'; then
    echo "SKIPPED, no GPU: $("$binary" devices | grep '^cuda')"
    [[ ${REQUIRE_GPU:-0} != 1 ]]
    exit
fi
command -v "$sanitizer" >/dev/null || { echo "error: $sanitizer is not installed" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
# One line a check: the tool, what it looked at, and its verdict.
check() {
    local tool=$1 name=$2
    shift 2
    if "$sanitizer" --tool "$tool" --error-exitcode 86 --log-file "$out/log" "$@" >"$out/stdout" 2>"$out/stderr"; then
        echo "$tool $name: clean"
    else
        echo "$tool $name: FAILED"
        tail -n 40 "$out/log" "$out/stderr"
        failed=1
    fi
}
for tool in memcheck racecheck initcheck synccheck; do
    for curve in bn254 bls12_381; do
        check $tool "msm g1 $curve" "$binary" bench msm --curve $curve --log-n 9..10 --runs 1 --device cuda
        check $tool "ntt $curve" "$binary" bench ntt --curve $curve --log-n 9..10 --runs 1 --device cuda
        check $tool "spmv $curve" "$binary" bench spmv --curve $curve --log-n 9 --runs 1 --device cuda
    done
    check $tool "msm g2 bn254" "$binary" bench msm --group g2 --curve bn254 --log-n 8 --runs 1 --device cuda
    check $tool "msm with multiples" "$binary" bench msm --curve bn254 --log-n 9 --multiples 8 --runs 1 --device cuda
    # As many as make rounds of affine pairs.
    check $tool "msm g2 bls12_381" "$binary" bench msm --group g2 --curve bls12_381 --log-n 16 --runs 1 --device cuda
    check $tool "msm on an Edwards curve" "$binary" bench msm --curve jubjub --log-n 9 --runs 1 --device cuda
    for key in bn128_mult bls12381_mult; do
        check $tool "proof of $key" "$binary" prove "$fixtures/$key/circuit.zkey" "$fixtures/$key/witness.wtns" \
            "$out/proof.json" "$out/public.json" --device cuda
    done
    check $tool "proof of 2^10 bn254" "$binary" bench groth16 --curve bn254 --log-n 10 --runs 1 --device cuda
done
exit $failed
