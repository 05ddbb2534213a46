import { roleWords } from '@case-platform/words/user-types';
import { rejectionWords } from '../api/api-error.ts';
import type { BankAccount, Profile } from '../api/api-shapes.ts';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { type ApiAnswer, apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import { BankAccountPanel } from './bank-account-panel.tsx';
import { PhotoIdUpload } from './photo-id-upload.tsx';
import { PictureUpload } from './picture-upload.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SetupProgress } from './setup-progress.tsx';

export async function ProfilePage() {
  const me = await requireMe();
  const [answer, account] = await Promise.all([
    apiServer<Profile>('/api/user/me'),
    // Staff have no bank account (BANK-7).
    me.userType === 'admin' ? null : apiServer<BankAccount>('/api/user/me/bank-account'),
  ]);
  return (
    <PageFrame title="Profile" narrow>
      <RefreshOnReturn />
      {answer.ok ? (
        <Details profile={answer.data} fallbackName={me.name} account={account} />
      ) : (
        <ErrorState
          title="We couldn’t load your profile"
          text={rejectionWords(answer) ?? 'Nothing about it has changed. Try again.'}
        />
      )}
    </PageFrame>
  );
}

interface DetailsProps {
  profile: Profile;
  fallbackName: string;
  account: ApiAnswer<BankAccount> | null;
}

function Details({ profile, fallbackName, account }: DetailsProps) {
  const name = `${profile.first_name} ${profile.last_name}`.trim() || fallbackName;
  return (
    <>
      <SetupProgress status={profile.setup_status} />
      <h2 className="text-title font-semibold wrap-anywhere">{name}</h2>
      <p className="quiet mb-4 text-small wrap-anywhere">
        {roleWords(profile.user_type)} · {profile.email_address}
      </p>
      <PictureUpload profile={profile} name={name} />
      <PhotoIdUpload profile={profile} />
      {account !== null && <Account answer={account} holder={name} />}
      {account !== null && (
        <p className="mb-6">
          <Link className="link" href="/payments">
            See what was paid to you
          </Link>
        </p>
      )}
      <ProfileForm profile={profile} />
      <p className="quiet mt-4 text-small">
        Change your email address in Settings. If your role is wrong, message your escrow specialist.
      </p>
    </>
  );
}

function Account({ answer, holder }: { answer: ApiAnswer<BankAccount>; holder: string }) {
  if (answer.ok) return <BankAccountPanel initial={answer.data} holder={holder} />;
  if (answer.status === 404) return <BankAccountPanel initial={null} holder={holder} />;
  return (
    <ErrorState
      title="We couldn’t load your bank account"
      text={rejectionWords(answer) ?? 'Nothing about it has changed. Try again.'}
    />
  );
}
