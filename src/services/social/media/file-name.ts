import { mediaTypes, type MediaType } from '../../../contract/social/media/limits.ts';
import type { StoredMedia } from './rows.ts';

const endings: Readonly<Record<MediaType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/webm': 'weba',
};

/** Undefined for a type that this node does not know. */
export function knownType({ mime_type: type }: Pick<StoredMedia, 'mime_type'>): MediaType | undefined {
  return mediaTypes.find((known) => known === type);
}

export function mediaFileName(row: Pick<StoredMedia, 'id' | 'mime_type'>): string {
  const type = knownType(row);
  return type === undefined ? row.id : `${row.id}.${endings[type]}`;
}
