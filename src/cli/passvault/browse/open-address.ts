import { Problem } from '../../../problem.ts';
import { startProgram } from '../../kit/start-program.ts';

/** What can't open an address says so within this time; a browser that was started may run until it is closed. */
const patienceMs = 2_000;

/**
 * Has the desktop open an address. @returns it, as the browser gets it
 * @throws Problem unavailable BROWSER_UNAVAILABLE
 */
export async function openInBrowser(env: NodeJS.ProcessEnv, siteUrl: string): Promise<string> {
  // Through URL, so that nothing but an address gets there.
  const address = new URL(siteUrl).href;
  const command = { darwin: 'open', win32: 'explorer.exe' }[process.platform as string] ?? 'xdg-open';
  const failure = await new Promise<string | undefined>((resolve) => {
    const child = startProgram(command, [address], { detached: true, stdio: 'ignore', env });
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const end = (said: string | undefined) => {
      clearTimeout(timer);
      resolve(said);
    };
    child.once('error', () => end(`There is no ${command} here to open ${address}`));
    // explorer.exe ends with 1 whatever happens.
    const fine = (code: number | null) => code === 0 || process.platform === 'win32';
    child.once('exit', (code) => end(fine(code) ? undefined : `${command} could not open ${address}`));
    child.unref();
  });
  if (failure !== undefined) throw new Problem('unavailable', 'BROWSER_UNAVAILABLE', failure);
  return address;
}
