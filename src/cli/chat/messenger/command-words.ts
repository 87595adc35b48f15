/** What `/` commands there are: how each is written, and what it does. */
export const commandWords = {
  reply: ['[ID] [TEXT]', 'answer the marked message, or the last one of others'],
  edit: ['[ID] [TEXT]', 'change your last message, or the marked one'],
  react: ['EMOJI [ID]', 'react to a message'],
  unreact: ['EMOJI [ID]', 'take a reaction back'],
  pin: ['[ID]', 'pin a message for everybody; /pin conversation keeps this one on top'],
  unpin: ['[ID]', 'unpin a message; /unpin conversation'],
  pins: ['', 'the pinned messages'],
  thread: ['[ID]', 'open the thread of the marked message; in a thread: go back'],
  threads: ['', 'threads of this conversation, those with unread answers first'],
  follow: ['[ID]', 'be told of the answers in this thread, or that of a message'],
  unfollow: ['[ID]', 'do not follow it any more'],
  remove: ['[ID]', 'delete a message for everybody'],
  attach: ['FILE', 'send a file with the next message'],
  save: ['[ID] [DIR]', 'save an attachment, here or into a folder'],
  show: ['[ID]', 'show a picture or a text that is attached'],
  search: ['WORDS', 'search this conversation'],
  members: ['', 'who is in it'],
  who: ['', 'which of them are there'],
  info: ['', 'what you have chosen for it, and its id'],
  open: ['NAME', 'go to another conversation'],
  new: ['NAME [client]', 'begin one with a member; client: only the two can read it'],
  join: ['#CHANNEL', 'join a public channel'],
  leave: ['', 'leave this group or channel'],
  mute: ['[8h]', 'no notifications for a while'],
  unmute: ['', 'notifications again'],
  archive: ['', 'put it into the archive'],
  verify: ['[accept]', 'compare who can read it, and the safety number'],
  unlock: ['', 'ask for your key, for what only members can read'],
  retry: ['', 'send again what was refused'],
  discard: ['', 'drop what was refused'],
  help: ['', 'these keys and commands'],
  quit: ['', 'end; what you have not sent is kept as a draft'],
} as const satisfies Readonly<Record<string, readonly [form: string, does: string]>>;

export type CommandName = keyof typeof commandWords;

const names = Object.keys(commandWords);

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(commandWords, word);
}

/** The commands that a line can still become, while their name is written. */
export function completionsOf(text: string): string[] {
  const [, begun] = /^\/([a-z]*)$/.exec(text) ?? [];
  return begun === undefined ? [] : names.filter((name) => name.startsWith(begun));
}

/** @returns undefined for a line that is a message */
export function commandIn(text: string): { readonly word: string; readonly rest: string } | undefined {
  const found = /^\/(?!\/)(\S*)\s*([\s\S]*)$/.exec(text);
  return found === null ? undefined : { word: found[1] ?? '', rest: (found[2] ?? '').trim() };
}

/** What a line says that is a message: `//` stands for one slash. */
export function messageIn(text: string): string {
  return text.startsWith('//') ? text.slice(1) : text;
}
