import { isInteractive, type Terminal } from './terminal.ts';

/** What takes less isn't worth a spinner, nor the time to load one. */
const patienceMs = 250;

/** Waits for something, with a spinner on stderr where somebody looks at it. */
export async function waitFor<T>(terminal: Terminal, text: string, work: Promise<T>): Promise<T> {
  if (!isInteractive(terminal)) return await work;
  let spinner: { stop(): unknown } | undefined;
  let done = false;
  const spin = async () => {
    const { default: ora } = await import('ora');
    // stdin is left alone: swallowing what is typed meanwhile would take Ctrl-C away from the shell's job control.
    if (!done) spinner = ora({ text, stream: terminal.stderr as NodeJS.WriteStream, discardStdin: false }).start();
  };
  const timer = setTimeout(() => {
    void spin();
  }, patienceMs);
  try {
    return await work;
  } finally {
    done = true;
    clearTimeout(timer);
    spinner?.stop();
  }
}
