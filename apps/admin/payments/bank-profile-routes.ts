import type { Html } from '@case-platform/lib/html';
import { type BankProfileInput, findBankProfile, setBankProfile } from '@case-platform/modules/banking';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { requireRecentProof } from '../form/recent-proof.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { bankProfilePage } from './bank-profile-page.ts';
import { AccountKind, Line, Version } from './bank-schemas.ts';

const Ticked = Type.Optional(Type.Literal('yes'));
const ProfileForm = Type.Object({
  version: Version,
  routing_number: Line,
  bank_name: Line,
  immediate_origin: Line,
  company_name: Line,
  company_id: Line,
  entry_description: Line,
  same_day: Ticked,
  with_notes: Ticked,
  balanced: Ticked,
  offset_routing_number: Line,
  offset_account_number: Line,
  offset_account_kind: AccountKind,
});

/** The bank that pays for us. */
export function bankProfileRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { now } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_bank_accounts', closed: 'bank' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_bank_accounts' });

  app.get(
    '/batches/bank',
    { config: { guard: reading }, schema: { querystring: Type.Object({ done: Done }) } },
    async (request, reply) => {
      const actor = reading.actor(request);
      return sendPage(reply, await readProfilePage(request, actor, request.query));
    },
  );

  const page: FormPage<unknown> = {
    path: () => '/batches/bank',
    readRefused: ({ request, actor }, refused) => {
      // If someone else changed it meanwhile, the page shows that instead of what was typed.
      const values = refused.code === 'changed' ? {} : refused.values;
      return readProfilePage(request, actor, { refused: { ...refused, values } });
    },
  };
  formRoute(server, page, '/batches/bank', {
    guard: editing,
    body: ProfileForm,
    done: 'bank',
    run: async ({ actor, body: { version, ...fields }, by }) => {
      requireRecentProof(actor, now());
      await setBankProfile(context, profileOf(fields), { by, version });
    },
  });

  async function readProfilePage(
    request: FastifyRequest,
    actor: StaffActor,
    { done, refused }: { done?: string | undefined; refused?: RefusedForm },
  ): Promise<Html> {
    const [profile, frame] = await Promise.all([findBankProfile(context.db), readFrame(context, request, actor)]);
    return bankProfilePage(frame, { profile, done: done === 'bank' ? 'Bank details saved.' : undefined, refused });
  }
}

function profileOf({ same_day, with_notes, balanced, ...rest }: Omit<Static<typeof ProfileForm>, 'version'>): BankProfileInput {
  return { ...rest, same_day: same_day === 'yes', with_notes: with_notes === 'yes', balanced: balanced === 'yes' };
}
