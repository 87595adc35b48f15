import * as v from 'valibot';
import { expect, it } from 'vitest';
import { tools } from '../../../../src/contract/passvault/tools.ts';

it.each(['123456', '123 456', '1234 5678', 'FR8RV', 'fr8rv'])('takes the code %j to be checked', (code) => {
  expect(v.is(tools.validateTotp.input, { code, secret: 'steam://JBSWY3DPEHPK3PXP' })).toBe(true);
});

it.each(['1234', 'FR8R!', '12345678901'])('takes no code %j to be checked', (code) => {
  const { issues } = v.safeParse(tools.validateTotp.input, { code, secret: 'JBSWY3DPEHPK3PXP' });
  expect(issues?.map(({ message }) => message)).toEqual(['must be 6 to 8 digits, or 5 characters of Steam']);
});
