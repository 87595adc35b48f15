export { directChallenge, proveServer, requestDirectLogin } from './signing-in/direct-login.ts';
export { register } from './signing-in/new-member.ts';
export { login } from './signing-in/sign-in.ts';
