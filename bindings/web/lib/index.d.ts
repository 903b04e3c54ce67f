/// <reference lib="dom" />
/// <reference lib="esnext.disposable" />

/**
 * An address, a file of the page, or the bytes that such a file has. A `File` is read piece by piece; bytes are copied
 * when the call is made.
 */
export type Source =
  | string
  | URL
  | Blob
  | ArrayBufferView
  | ArrayBuffer
  | SharedArrayBuffer
  | { type: 'mem'; data: ArrayBufferView | ArrayBuffer };

/** `auto`: a GPU where the browser shows one, else the CPU. */
export type DeviceName = 'auto' | 'cpu' | 'wgpu';

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

/** A part of a proof, and the time that its worker spent on it. */
export interface Stage {
  name: string;
  milliseconds: number;
}

export interface WatchedProof extends ProofResult {
  stages: Stage[];
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

/** What a call is about to do: load its module, open the device, read the key, read the witness, prove. */
export type Step = 'module' | 'device' | 'key' | 'witness' | 'proof';

/** What snarkjs takes as a logger; of these functions, those that there are get called. */
export interface Logger {
  debug?(message: string): void;
  info?(message: string): void;
  warn?(message: string): void;
  error?(message: string): void;
}

/** Options beside those of snarkjs, which are left alone. */
export interface ProveOptions {
  /** Default: `auto`. */
  device?: DeviceName;
  /** Ends the call and its worker: its promise is rejected with the signal's reason, an `AbortError` unless another is given. */
  signal?: AbortSignal;
  onProgress?: (step: Step) => void;
  [other: string]: unknown;
}

export declare const groth16: {
  /**
   * Proves a witness, in a worker that has the key for this proof alone: `loadKey` makes one that stays. `logger` is
   * left alone.
   */
  prove(zkey: Source, wtns: Source, logger?: Logger | null, options?: ProveOptions | null): Promise<ProofResult>;
  /** Whether a proof is valid. Rejected for a malformed key. */
  verify(
    vk: VerificationKey | object,
    publicSignals: readonly (string | number | bigint)[],
    proof: Groth16Proof | object,
    logger?: Logger | null,
  ): Promise<boolean>;
};

export interface LoadOptions {
  /** Default: `auto`. */
  device?: DeviceName;
  signal?: AbortSignal;
  onProgress?: (step: Step) => void;
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
  /** Refuse keys under which anyone can make proofs, as far as their points show it. Default: false. */
  refuseWeak?: boolean;
}

export interface CallOptions {
  /** Rejects the promise. A proof that was begun goes on in its worker, and later ones wait for it. */
  signal?: AbortSignal;
  onProgress?: (step: Step) => void;
}

/** A key that is ready on a device, in a worker of its own. `loadKey` makes it. */
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
  /** Proofs of a key are made one after the other. */
  prove(wtns: Source, options?: CallOptions): Promise<WatchedProof>;
  /** Ends its worker, which gives all memory back; calls that wait are rejected. Again: nothing. */
  free(): void;
  /** The same, for `using`. */
  [Symbol.dispose](): void;
}

/** Reads a key and makes it ready on a device. */
export declare function loadKey(zkey: Source, options?: LoadOptions): Promise<Key>;

/** Devices by name, and what they are, or why they cannot be used. */
export declare function devices(): Promise<{ name: DeviceName; usable: boolean; description: string }[]>;

/**
 * `internal` is a bug, a script that cannot be loaded, or the memory of the tab; what the worker had is gone then.
 */
export type ErrorCode = 'input' | 'witness-length' | 'invalid' | 'device-memory' | 'device' | 'internal';

/** Why a call failed; `code` is its kind. */
export declare class CurvesmithError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly code: ErrorCode;
}
