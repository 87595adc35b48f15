export const portables = ['follows', 'blocks', 'mutes', 'bookmarks'] as const;
export type Portable = (typeof portables)[number];
export const importModes = ['merge', 'overwrite'] as const;
export type ImportMode = (typeof importModes)[number];
export const importStates = ['pending', 'done'] as const;
export type ImportState = (typeof importStates)[number];
