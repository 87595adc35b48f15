import { showKeys, type FullScreen } from '../../kit/full-screen.ts';

/** The last line; it fits into 80 columns. */
export const browserHelp = 'type:filter ←→:folders enter:open ^G:get ^P:put ^L:link ^K:all keys esc:quit';

const keys = [
  ['letters', 'show only what has them in its name; backspace takes one away'],
  ['up, down', 'to another line; page up and page down, home and end too'],
  ['right, enter', 'into the folder; of a text or a picture, a preview'],
  ['left', 'to the folder above'],
  ['tab', 'mark, so that the next key acts on all that are marked'],
  ['ctrl-g', 'get: download into a folder of this machine'],
  ['ctrl-p', 'put: store files of this machine here'],
  ['ctrl-l', 'make a link to the file'],
  ['ctrl-n', 'make a folder here'],
  ['ctrl-r', 'rename'],
  ['delete', 'move to the trash'],
  ['ctrl-u', 'look again'],
  ['esc', 'unmark, then show all again, then quit'],
  ['ctrl-c', 'quit'],
] as const;

/** Shows all keys until one is pressed. */
export async function showBrowserKeys(full: FullScreen): Promise<void> {
  await showKeys(full, 'Keys of the browser', keys);
}
