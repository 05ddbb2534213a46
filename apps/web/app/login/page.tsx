import type { Metadata } from 'next';

export { LoginPage as default } from '../../sign-in/login-page.tsx';

export const metadata: Metadata = { title: 'Sign in' };
