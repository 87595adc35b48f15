import { createRequire } from 'node:module';
import type * as Photon from '@silvia-odwyer/photon-node';
import { oneFile } from '../../../base/one-file.ts';
import type { Pixels } from '../../../base/pixels.ts';
import { Unreadable } from './unreadable.ts';

const NAME = '@silvia-odwyer/photon-node';

/**
 * Decodes JPEG, PNG, WebP, GIF and BMP; of an animation, the first picture. Only for images whose header was compared with the limits: the
 * decoder has none.
 * @throws Unreadable
 */
export function decodeAny(image: Uint8Array): Pixels {
  return withCodec('it is damaged, or of a kind that is not known', ({ PhotonImage }) => {
    const decoded = PhotonImage.new_from_byteslice(image);
    try {
      return { width: decoded.get_width(), height: decoded.get_height(), bytes: decoded.get_raw_pixels() };
    } finally {
      decoded.free();
    }
  });
}

/** @returns a PNG of eight bits a sample, with opacity, and nothing else. @throws Unreadable */
export function encodePng({ width, height, bytes }: Pixels): Uint8Array<ArrayBuffer> {
  return withCodec('it needs too much memory', ({ PhotonImage }) => {
    const image = new PhotonImage(bytes, width, height);
    try {
      return image.get_bytes() as Uint8Array<ArrayBuffer>;
    } finally {
      image.free();
    }
  });
}

/**
 * The library is WebAssembly, so what a hostile image does to it stays in its own memory. Where it fails it traps, and its memory is in an
 * unknown state then: the next call loads it anew.
 */
function withCodec<T>(why: string, work: (codec: typeof Photon) => T): T {
  const codec = loadedCodec();
  try {
    return work(codec.get());
  } catch (cause) {
    codec.forget();
    throw new Unreadable(why, { cause });
  }
}

function loadedCodec(): { get(): typeof Photon; forget(): void } {
  const file = oneFile();
  if (file !== undefined)
    return { get: () => file.requirePackage(NAME) as typeof Photon, forget: () => file.forgetPackage(NAME) };
  // With one for each call, nothing keeps an instance that was thrown away.
  const require = createRequire(import.meta.url);
  return { get: () => require(NAME) as typeof Photon, forget: () => delete require.cache[require.resolve(NAME)] };
}
