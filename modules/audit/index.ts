export {
  type AuditFilter,
  type AuditRecord,
  findActorIds,
  findAuditEntry,
  listAudit,
  listAuditActions,
} from './list-audit.ts';
