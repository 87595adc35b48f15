import { Config, Errors, handle, type Interfaces, run } from '@oclif/core';

/** Runs one command line to its end, and ends the process with the exit code of what it threw. */
export async function main(argv: string[], options: Interfaces.LoadOptions): Promise<void> {
  try {
    await run(argv, options);
  } catch (error) {
    // Commands report their own problems; what comes here otherwise was thrown before one was found.
    await handle(error instanceof Errors.ExitError ? error : await reported(error, argv, options));
  }
}

async function reported(error: unknown, argv: string[], options: Interfaces.LoadOptions): Promise<Errors.ExitError> {
  const { processTerminal } = await import('./terminal.ts');
  const { reportProblem } = await import('./problem-report.ts');
  const { unknownCommand } = await import('./unknown-command.ts');
  const terminal = processTerminal();
  const cause =
    error instanceof Error && error.message.endsWith(' not found')
      ? unknownCommand(argv, await Config.load(options))
      : error;
  return new Errors.ExitError(reportProblem(terminal, cause, { json: argv.includes('--json'), command: '' }));
}
