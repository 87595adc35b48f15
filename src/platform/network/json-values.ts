/** Whether a value is a list of at most `most` items that all pass the check. */
export function isListOf<T>(value: unknown, most: number, is: (item: unknown) => item is T): value is T[];
export function isListOf(value: unknown, most: number, is: (item: unknown) => boolean): value is unknown[];
export function isListOf(value: unknown, most: number, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= most && value.every((item) => is(item));
}

export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
