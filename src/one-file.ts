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
  /** the program text of a thread that runs worker.js */
  thread(): string;
}

/** Undefined where the program is a folder. */
export function oneFile(): OneFile | undefined {
  return (globalThis as { readonly [key: symbol]: OneFile | undefined })[Symbol.for('conclave.one-file')];
}

/** The command line that starts this program again, for `spawn`. No other code says how. */
export function ownCommand(...words: readonly string[]): readonly [command: string, words: readonly string[]] {
  if (oneFile() !== undefined) return [process.execPath, words];
  // See bin/run.js for the dashes.
  return [process.execPath, ['--', process.argv[1] ?? '', ...words]];
}
