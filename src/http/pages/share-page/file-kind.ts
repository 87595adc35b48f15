/** A kind of file for people, and its icon. */
export interface FileKind {
  readonly icon: 'archive' | 'audio' | 'document' | 'file' | 'image' | 'sheet' | 'text' | 'video';
  readonly name: string;
}

const kinds: readonly (readonly [RegExp, FileKind])[] = [
  [/^image\//, { icon: 'image', name: 'Image' }],
  [/^video\//, { icon: 'video', name: 'Video' }],
  [/^audio\//, { icon: 'audio', name: 'Audio' }],
  [/^application\/pdf$/, { icon: 'document', name: 'PDF document' }],
  [/spreadsheet|excel|csv/, { icon: 'sheet', name: 'Spreadsheet' }],
  [/word|document|presentation|powerpoint|epub|rtf/, { icon: 'document', name: 'Document' }],
  [/zip|compressed|tar|archive/, { icon: 'archive', name: 'Archive' }],
  [/^text\/|json|xml/, { icon: 'text', name: 'Text' }],
];

export function kindOf(mimeType: string): FileKind {
  return kinds.find(([pattern]) => pattern.test(mimeType))?.[1] ?? { icon: 'file', name: 'File' };
}
