const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs something that goes on until a signal asks it to end, which is no failure. */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ending) process.once(signal, stop);
  try {
    await run(stopping.signal);
  } finally {
    for (const signal of ending) process.off(signal, stop);
  }
}
