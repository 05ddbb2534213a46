/** A sample of code in one language. */
export interface CodeSample {
  /** The name of the language for highlighters. */
  lang: string;
  label: string;
  source: string;
}

interface Account {
  email_address: string;
  user_type: string;
  pass_hash: string;
}

/** An account of the demo, so that the samples can be run as they are. */
const DEMO: Account = { email_address: 'parent@demo.test', user_type: 'intended_parent', pass_hash: 'Demo-Passw0rd!' };
const YOURS: Account = { email_address: 'you@example.com', user_type: 'intended_parent', pass_hash: 'Your password' };

/** Signs in and lists the cases, in each language: programs that can be copied and run. */
export function firstCall(apiUrl: string, isDemo: boolean): CodeSample[] {
  const account = isDemo ? DEMO : YOURS;
  const { email_address, user_type, pass_hash } = account;
  return [
    {
      lang: 'shell',
      label: 'curl',
      source: `TOKEN=$(curl --silent ${apiUrl}/api/user/auth/login \\
  --header 'Content-Type: application/json' \\
  --data '${JSON.stringify(account)}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

curl ${apiUrl}/api/cases --header "Authorization: Bearer $TOKEN"`,
    },
    {
      lang: 'typescript',
      label: 'TypeScript',
      source: `const api = '${apiUrl}';
const signIn = await fetch(\`\${api}/api/user/auth/login\`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    email_address: '${email_address}',
    user_type: '${user_type}',
    pass_hash: '${pass_hash}',
  }),
});
const { access_token } = (await signIn.json()) as { access_token: string };

const cases = await fetch(\`\${api}/api/cases\`, {
  headers: { Authorization: \`Bearer \${access_token}\` },
});
console.log(await cases.json());`,
    },
    {
      lang: 'python',
      label: 'Python',
      source: `import requests

api = "${apiUrl}"
sign_in = requests.post(f"{api}/api/user/auth/login", json={
    "email_address": "${email_address}",
    "user_type": "${user_type}",
    "pass_hash": "${pass_hash}",
})
token = sign_in.json()["access_token"]

cases = requests.get(f"{api}/api/cases", headers={"Authorization": f"Bearer {token}"})
print(cases.json())`,
    },
  ];
}
