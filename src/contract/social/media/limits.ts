/** Rate limit of uploads; see contract/rates.ts. */
export const mediaRates = {
  socialMedia: {
    key: 'social_media',
    perAccount: { rate: '60/30m', text: 'Pictures, videos and sounds that one member uploads for posts' },
  },
} as const;

const MEBIBYTE = 1024 ** 2;

/** Limits of pictures, videos and sounds. Sizes are in bytes. */
export const mediaLimits = {
  pictureBytes: 16 * MEBIBYTE,
  /** of a video or sound */
  streamBytes: 100 * MEBIBYTE,
  /** pixels of a side, of pictures and videos */
  side: 8_192,
  /** pixels of the whole */
  pixels: 33_554_432,
  /** pictures of an animation, and pixels of all of them */
  frames: 1_000,
  framePixels: 1_000_000_000,
  /** characters of a description; in any script it fits into the URL of an upload */
  altText: 1_000,
  /** of one post */
  attachments: 4,
  /** uploads of one member that are part of no post */
  waiting: 100,
  /** how long an upload waits to be attached */
  waitingHours: 24,
} as const;

/** The types of files that are accepted, by their content. */
export const mediaTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/webm',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/webm',
] as const;
export type MediaType = (typeof mediaTypes)[number];
