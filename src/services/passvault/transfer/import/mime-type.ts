const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  pem: 'application/x-pem-file',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** The type by the file name extension. The formats have no other information about a file. */
export function mimeTypeOf(filename: string): string {
  const ending = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(TYPES, ending) && TYPES[ending]) || 'application/octet-stream';
}

/** The last part of a path, without characters that a file name can't have. */
export function plainName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  const clean = name.replaceAll(/[\u0000-\u001f\u007f]/g, '').trim();
  return clean === '' || clean === '.' || clean === '..' ? 'attachment' : clean.slice(-255);
}
