/**
 * What a token may be limited to, with what that lets its holder do. A token of a sign-in has no scope and may do all that its member may;
 * one with scopes may call the operations that name one of them, and nothing else.
 */
const scopes = {
  mail: 'Read and send e-mail',
  files: 'Read and write files',
  calendar: 'Read and change calendars',
} as const;

export type Scope = keyof typeof scopes;
