/** Sizes of what is sealed say less of its text in steps of so many bytes. */
const STEP = 256;
const SPACE = 0x20;

/** JSON with spaces behind it, up to a whole step: it is the same value. */
export function padded(json: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(json.length / STEP) * STEP).fill(SPACE);
  whole.set(json);
  return whole;
}
