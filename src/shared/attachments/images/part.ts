/** A part of the output, in bytes: the range from `start` to before `end` of the image, or new bytes in its place. */
export type Part = { readonly start: number; readonly end: number } | Uint8Array;

/** The parts of an image that stay. @throws MalformedImage */
export type Parts = (image: Buffer) => Iterable<Part>;

/** An image whose parts are not where it says. Its content can't be judged, so no part of it is passed on. */
export class MalformedImage extends Error {}
