import { extname } from 'node:path';

/** Types that a reader shows; everything else is a download anyway. */
const types: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.zip': 'application/zip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ics': 'text/calendar',
  '.eml': 'message/rfc822',
};

/** The media type of a file by its name. */
export function typeOfName(file: string): string {
  return types[extname(file).toLowerCase()] ?? 'application/octet-stream';
}
