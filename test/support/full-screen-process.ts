import { withFullScreen } from '../../src/cli/kit/full-screen.ts';
import { processTerminal } from '../../src/cli/kit/terminal.ts';

/** A full screen that waits for keys, in a process of its own. */
const none = async () => {
  throw new Error('nothing is asked here');
};
await withFullScreen(processTerminal(), { connect: none, screen: none }, async ({ canvas, keyboard }) => {
  canvas.draw('A title', ['A line'], '', 'q:quit');
  for (let key = ''; key !== 'q';) key = await keyboard.next();
});
