/**
 * The scopes of app passwords, each with its rights. A token of a sign-in has no scope, and may do everything that its member may. A request
 * with scopes may call only operations that name one of them.
 */
export const scopes = {
  mail: 'Read and send e-mail',
  files: 'Read and write files',
  calendar: 'Read and change calendars',
  contacts: 'Read and change contacts',
  chat: 'Read and send messages in conversations',
  feeds: 'Read the posts of hubs with a feed reader',
} as const;

export type Scope = keyof typeof scopes;

/** What a bot token may do in a conversation. `write` includes `read`. */
export const botRights = ['read', 'write'] as const;
export type BotRight = (typeof botRights)[number];
