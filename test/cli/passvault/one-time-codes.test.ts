import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { oneTimeCode } from '../../../src/client/one-time-code.ts';
import { qrCode } from '../../../src/cli/kit/qr-code.ts';
import { otpUri } from '../../../src/cli/passvault/browse/otp-uri.ts';
import { codeLine, spaced, watchCode } from '../../../src/cli/passvault/browse/watch-code.ts';

/** RFC 6238's, in base 32. */
const secret = 'GEZD GNBV-gy3tqojqgezdgnbvgy3tqojq';
const uri = `otpauth://totp/x?secret=${secret.replaceAll(/[ -]/g, '')}&digits=8`;

describe('one-time codes', () => {
  it('are those of RFC 6238', () => {
    expect(oneTimeCode(uri, 59_000)).toEqual({ code: '94287082', remainingSeconds: 1, period: 30 });
    expect(oneTimeCode(secret, 59_000).code).toBe('287082');
    expect(() => oneTimeCode('hunter2!', 0)).toThrow(
      expect.objectContaining({ code: 'TOTP_SECRET_INVALID', message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('of Steam are five characters', () => {
    const steam = 'steam://63BEDWCQZKTQWPESARIERL5DTTQFCJTK';
    expect(oneTimeCode(steam, 1_511_200_518_000)).toEqual({ code: 'FR8RV', remainingSeconds: 12, period: 30 });
    expect(spaced('FR8RV')).toBe('FR8RV');
  });

  it('are shown with the time that they have left', () => {
    expect(spaced('287082')).toBe('287 082');
    expect(codeLine('Git\u001bHub', uri, 30_000)).toBe(`9428 7082  ${'█'.repeat(20)}  30 s  Git\\x1bHub`);
    expect(codeLine('x', uri, 59_000)).toBe(`9428 7082  █${'░'.repeat(19)}   1 s  x`);
  });

  it('are watched, a line for each where no terminal is', async () => {
    const stop = new AbortController();
    let text = '';
    const stdout = new Writable({
      write(chunk: Buffer, _, done) {
        text += chunk.toString();
        if (text.length > 9) stop.abort();
        done();
      },
    });
    // A clock on which every look takes ten seconds.
    let time = 30_999;
    const now = () => (time += 10_000) - 10_000;
    await watchCode({ stdin: new PassThrough(), stdout, stderr: stdout, env: {} }, 'x', uri, {
      signal: stop.signal,
      now,
    });
    expect(text).toBe(`94287082\n${oneTimeCode(uri, 60_000).code}\n`);
  });
});

describe('the code to scan', () => {
  it('is the secret as it is, or an address made of it', () => {
    expect(otpUri({ title: 'x', totpSecret: ` ${uri} ` })).toBe(uri);
    expect(otpUri({ title: 'Git: Hub', username: 'al ice', totpSecret: 'ab cd-ef==' })).toBe(
      'otpauth://totp/Git%20%20Hub:al%20ice?secret=ABCDEF&issuer=Git%20%20Hub',
    );
    // KeePassXC takes six digits unless the address says five.
    expect(otpUri({ title: 'Steam', username: 'me', totpSecret: 'steam://jbsw y3dp-ehpk3pxp==' })).toBe(
      'otpauth://totp/Steam:me?secret=JBSWY3DPEHPK3PXP&issuer=Steam&digits=5&encoder=steam',
    );
    expect(otpUri({ title: 'x', totpSecret: 'AB' })).toBe('otpauth://totp/x?secret=AB&issuer=x');
  });

  it('is drawn in half blocks that fit on 80 columns', async () => {
    const drawn = await qrCode(
      otpUri({ title: 'GitHub', username: 'alice@example.org', totpSecret: secret }),
      Number.POSITIVE_INFINITY,
    );
    const lines = drawn.split('\n');
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[0]!.length).toBeLessThanOrEqual(57);
    expect(lines.length).toBeLessThanOrEqual(29);
    // The finder pattern in the corner, behind a border of two modules.
    expect(lines[1]).toMatch(/^ {2}█▀▀▀▀▀█ /);
    expect(await qrCode('x', 80)).toContain('\u001b[30;107m');
    await expect(qrCode(uri, 20)).rejects.toMatchObject({ code: 'QR_TOO_WIDE' });
  });
});
