/// <reference lib="esnext.disposable" />

/** A file's name, its `file:` URL, or the bytes that such a file has. Bytes are copied when the call is made. */
export type Source =
  | string
  | URL
  | ArrayBufferView
  | ArrayBuffer
  | SharedArrayBuffer
  | { type: 'mem'; data: ArrayBufferView | ArrayBuffer }
  | { type: 'file'; fileName: string };

/** `auto`: a GPU where there is one, else the CPU. `cuda` is `cuda:0`; `wgpu`, any GPU by its graphics driver, is `wgpu:0`. */
export type DeviceName = 'auto' | 'cpu' | 'cuda' | `cuda:${number}` | 'wgpu' | `wgpu:${number}` | 'emulator';

/** A proof, as snarkjs has it. */
export interface Groth16Proof {
  pi_a: [string, string, string];
  pi_b: [[string, string], [string, string], [string, string]];
  pi_c: [string, string, string];
  protocol: 'groth16';
  curve: string;
}

/** Decimal numbers. */
export type PublicSignals = string[];

export interface ProofResult {
  proof: Groth16Proof;
  publicSignals: PublicSignals;
}

/** A verification key, as snarkjs exports it. */
export interface VerificationKey {
  protocol: string;
  curve: string;
  nPublic: number;
  vk_alpha_1: string[];
  vk_beta_2: string[][];
  vk_gamma_2: string[][];
  vk_delta_2: string[][];
  vk_alphabeta_12?: string[][][];
  IC: string[][];
}

/** An integer: decimal, or hexadecimal with `0x`, if it is a string. Numbers are taken modulo the prime of the circuit. */
export type SignalNumber = bigint | number | boolean | string;
export type SignalValue =
  | SignalNumber
  | ArrayLike<number>
  | ArrayLike<bigint>
  | readonly SignalValue[]
  | { readonly [field: string]: SignalValue };
/** The values of each input signal, by its name. Arrays may be nested; the fields of a bus are an object. */
export type CircuitSignals = { readonly [signal: string]: SignalValue };

/** What snarkjs takes as a logger; of these functions, those that there are get called. */
export interface Logger {
  debug?(message: string): void;
  info?(message: string): void;
  warn?(message: string): void;
  error?(message: string): void;
}

/** Options beside those of snarkjs, which are left alone. */
export interface ProveOptions {
  /** Default: that of the environment variable `CURVESMITH_DEVICE`, else `auto`. */
  device?: DeviceName;
  /** Ends the call: its promise is rejected with the signal's reason, an `AbortError` unless another is given. */
  signal?: AbortSignal;
  [other: string]: unknown;
}

export interface WitnessOptions {
  /** Has the circuit check each step. Default: false. */
  sanityCheck?: boolean;
  [other: string]: unknown;
}

export declare const groth16: {
  /** Proves a witness. The keys that were used last stay on their devices, found by their content. */
  prove(zkey: Source, wtns: Source, logger?: Logger | null, options?: ProveOptions | null): Promise<ProofResult>;
  /** Calculates the witness of the inputs by the circuit's program, and proves it. */
  fullProve(
    input: CircuitSignals,
    wasm: Source,
    zkey: Source,
    logger?: Logger | null,
    wtnsCalcOptions?: WitnessOptions | null,
    options?: ProveOptions | null,
  ): Promise<ProofResult>;
  /** Whether a proof is valid. Rejected for a malformed key. */
  verify(
    vk: VerificationKey | object,
    publicSignals: readonly (string | number | bigint)[],
    proof: Groth16Proof | object,
    logger?: Logger | null,
  ): Promise<boolean>;
  /** The arguments of `verifyProof` of a contract of snarkjs, for BN254. */
  exportSolidityCallData(proof: Groth16Proof, publicSignals: readonly (string | number | bigint)[]): Promise<string>;
};

export interface LoadOptions {
  /** Default: that of the environment variable `CURVESMITH_DEVICE`, else `auto`. */
  device?: DeviceName;
  signal?: AbortSignal;
  /** Skip the checks of the key's points. Only for keys that were checked before. Default: false. */
  trustKey?: boolean;
  /** Check that every point is in the subgroup of order r: for keys from strangers. Default: false. */
  checkSubgroups?: boolean;
  /** Verify every proof before it is returned. Default: true. */
  selfCheck?: boolean;
  /**
   * Keep multiples of the key's points on a GPU that has room: proofs are faster, and loading takes as long as tens of
   * proofs. Default: true.
   */
  multiples?: boolean;
  /** Zero the device's memory of every proof. Default: false. */
  wipe?: boolean;
  /** Take a key that does not fit on the device: each proof copies it there in parts. Default: false. */
  stream?: boolean;
  /** Refuse keys under which anyone can make proofs, as far as their points show it. Default: false. */
  refuseWeak?: boolean;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** A key that is ready on a device. `loadKey` makes it. */
export declare class Key {
  private constructor();
  /** Name of the curve: `bn254`, `bls12_381`. */
  readonly curve: string;
  /** Name of the device. */
  readonly device: string;
  /** Values of a witness. */
  readonly wires: number;
  /** Number of public signals. */
  readonly publicInputs: number;
  /** As snarkjs exports it. */
  readonly verificationKey: VerificationKey;
  /** What of the key's points lets anyone make proofs, a line each. */
  readonly weaknesses: string[];
  readonly freed: boolean;
  prove(wtns: Source, options?: CallOptions): Promise<ProofResult>;
  /** Proves several witnesses, some at once; each has a result of its own, as of `Promise.allSettled`. */
  proveBatch(witnesses: readonly Source[], options?: CallOptions): Promise<PromiseSettledResult<ProofResult>[]>;
  fullProve(
    input: CircuitSignals,
    wasm: Source,
    options?: CallOptions & { sanityCheck?: boolean; logger?: Logger | null },
  ): Promise<ProofResult>;
  /** Gives its memory back when the proofs that were asked for are made. Again: nothing. */
  free(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

/** Reads a key and makes it ready on a device. */
export declare function loadKey(zkey: Source, options?: LoadOptions): Promise<Key>;

/** The witness of the inputs, as the bytes of a `.wtns` file. */
export declare function calculateWitness(
  input: CircuitSignals,
  wasm: Source,
  options?: { sanityCheck?: boolean; logger?: Logger | null; signal?: AbortSignal },
): Promise<Uint8Array>;

/** Names of the curves of this build. */
export declare const curves: readonly string[];

/** Devices by name, and what they are, or why they cannot be used. */
export declare function devices(): Promise<{ name: string; usable: boolean; description: string }[]>;

export type ErrorCode = 'input' | 'witness-length' | 'invalid' | 'device-memory' | 'device' | 'cancelled' | 'internal';

/** Why a call failed; `code` is its kind. */
export declare class CurvesmithError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly code: ErrorCode;
}
