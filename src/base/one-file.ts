import { Problem } from './problem.ts';

/** The files of the program, where all of it is one file. bin/one-file.js leaves them where `oneFile` looks. */
interface OneFile {
  has(name: string): boolean;
  names(): readonly string[];
  /** a copy */
  read(name: string): Buffer<ArrayBuffer>;
  readText(name: string): string;
  requirePackage(name: string): unknown;
  /** It is loaded anew when it is asked for again. */
  forgetPackage(name: string): void;
  /** loads machine code of the program @throws Error that says which folders were tried, and why none will do */
  checkAddons(): void;
  /** the text that a thread runs for worker.js, and the variables that it needs: those that name the folders of `checkAddons` */
  thread(): { readonly text: string; readonly env: NodeJS.ProcessEnv };
}

/** Undefined where the program is a folder. */
export function oneFile(): OneFile | undefined {
  return (globalThis as { readonly [key: symbol]: OneFile | undefined })[Symbol.for('conclave.one-file')];
}

/** @throws Problem internal ADDON_NOT_LOADED where the system lets no machine code of the program be loaded */
export function refuseUnloadable(): void {
  try {
    oneFile()?.checkAddons();
  } catch (cause) {
    throw new Problem('internal', 'ADDON_NOT_LOADED', cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}

/** The command line that starts this program again, for `spawn`. No other code says how. */
export function ownCommand(...words: readonly string[]): readonly [command: string, words: readonly string[]] {
  if (oneFile() !== undefined) return [process.execPath, words];
  // See bin/run.js for the dashes.
  return [process.execPath, ['--', process.argv[1] ?? '', ...words]];
}
