/** Where an image is cut, in bytes: from `start` to before `end`, or bytes in their place. */
export type Part = { readonly start: number; readonly end: number } | Uint8Array;

/** What of an image stays. @throws MalformedImage */
export type Parts = (image: Buffer) => Iterable<Part>;

/** An image whose parts aren't where it says: what is in it can't be told, so none of it is given on. */
export class MalformedImage extends Error {}
