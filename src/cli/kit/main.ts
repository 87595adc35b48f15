import { Config, Errors, handle, type Interfaces, run, settings } from '@oclif/core';

/** Runs one command line, and ends the process with the exit code of its error, if there is one. */
export async function main(argv: string[], options: Interfaces.LoadOptions): Promise<void> {
  // Where NODE_ENV says development or test, oclif would look for TypeScript and for sources, and warn that there are none.
  settings.enableAutoTranspile = false;
  try {
    await run(spoken(argv), options);
  } catch (error) {
    // Commands report their own problems. Other errors were thrown before a command was found.
    await handle(error instanceof Errors.ExitError ? error : await reported(error, argv, options));
  }
}

/** Accepts `help vault` and `version`, which oclif knows only as options. */
function spoken(argv: string[]): string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest.filter((word) => word !== '--help' && word !== '-h'), '--help'];
  return rest.length === 0 && (first === 'version' || first === '-v') ? ['--version'] : argv;
}

async function reported(error: unknown, argv: string[], options: Interfaces.LoadOptions): Promise<Errors.ExitError> {
  const { processTerminal } = await import('./terminal.ts');
  const { reportProblem } = await import('./problem-report.ts');
  const { topicOf, unknownCommand } = await import('./unknown-command.ts');
  const terminal = processTerminal();
  const json = argv.includes('--json');
  if (!(error instanceof Error && / not found\.?$/.test(error.message)))
    return new Errors.ExitError(reportProblem(terminal, error, { json, command: '' }));
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const config = await Config.load(options);
  const command = topicOf(words, config);
  return new Errors.ExitError(reportProblem(terminal, unknownCommand(words, config), { json, command }));
}
