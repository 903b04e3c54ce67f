/** An error of a call; `code` is its kind. */
export class CurvesmithError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }

  get name() {
    return 'CurvesmithError';
  }
}

/** An error of the caller's. */
export function inputError(message, cause) {
  return new CurvesmithError('input', message, cause === undefined ? undefined : { cause });
}

/** What a value is, for people; never its content, which can be a witness. */
export function kindOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return value === undefined ? 'undefined' : `a ${typeof value}`;
  const name = value.constructor?.name;
  return name ? `an object of ${name}` : 'an object';
}
