import { findDisbursementCase } from '@case-platform/modules/disbursements';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import { idInParams } from '../guards/guards.ts';

/** Finds the case of the disbursement in the address, for a guard's `case_id`. */
export function caseOfDisbursement({ db }: Pick<AdminContext, 'db'>) {
  return async (request: FastifyRequest): Promise<number | null> => {
    const id = idInParams(request, 'disbursement_id');
    return id === null ? null : findDisbursementCase(db, id);
  };
}
