import {
  approveDisbursement,
  cancelDisbursement,
  DISBURSEMENT_TEXT_MAX,
  denyDisbursement,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import { Type } from 'typebox';
import { DisbursementOut } from '../disbursement-schemas.ts';
import { Id } from '../schemas.ts';
import type { ApiServer } from '../server.ts';
import { changedByUser, showDisbursement } from '../show-disbursement.ts';

const params = Type.Object({ id: Id });
const tags = ['disbursements'];
const response = () => ({ 200: DisbursementOut });

/** What takes a request from one state to the next (decisions, section 8). */
export function disbursementMoveRoutes({ app, context, guards }: ApiServer): void {
  const making = guards.user({ perm_check: ['create_drs', 'edit_drs'] });
  const deciding = guards.user({ perm_check: ['approve_drs'] });
  const moves = [
    ['submit', making, submitDisbursement, 'Sends a draft to its approver'],
    ['approve', deciding, approveDisbursement, 'Approves a request; never its own maker'],
    ['cancel', making, cancelDisbursement, 'Takes back a request that nobody has decided about'],
  ] as const;
  for (const [name, guard, move, summary] of moves) {
    app.post(
      `/api/disbursements/:id/${name}`,
      { config: { guard }, schema: { tags, summary, params, response: response() } },
      async (request) => {
        const user = guard.actor(request);
        await move(context, request.params.id, changedByUser(request, user));
        return showDisbursement(context, user, request.params.id);
      },
    );
  }
  app.post(
    '/api/disbursements/:id/deny',
    {
      config: { guard: deciding },
      schema: {
        tags,
        summary: 'Denies a request',
        params,
        body: Type.Object({
          reason: Type.String({ minLength: 1, maxLength: DISBURSEMENT_TEXT_MAX }),
        }),
        response: response(),
      },
    },
    async (request) => {
      const user = deciding.actor(request);
      await denyDisbursement(context, request.params.id, request.body, changedByUser(request, user));
      return showDisbursement(context, user, request.params.id);
    },
  );
}
