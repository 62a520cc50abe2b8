/** Every metric of the program by name, with the text that Prometheus shows for it. */
export const help = {
  tollgate_build_info: 'Always 1; the labels tell what runs.',

  tollgate_radius_requests_total: 'RADIUS requests by port, NAS, result and, when dropped, the fault.',
  tollgate_radius_access_seconds: 'Time from an Access-Request to its answer, in the worker.',
  tollgate_radius_log_rows_total: 'Rows written into the log of sign-ins.',
  tollgate_radius_log_left_out_total:
    'Answers without a row of their own in the log of sign-ins: only counted by NAS and reason in a flood, or lost because the database was away.',
  tollgate_accounting_records_total: 'Accounting records by kind.',
  tollgate_accounting_fates_total:
    'Entries of accounting by what became of them; unsaved and refused ones are not answered, so the NAS repeats.',
  tollgate_accounting_spool_bytes: 'Accounting in the spool, not in the database.',
  tollgate_sessions_live: 'Sessions that are open now, at whichever node.',
  tollgate_access_table_entries: 'Logins in the access table in shared memory.',
  tollgate_access_table_bytes: 'What the access table and its indexes use.',
  tollgate_nas:
    'Enabled NAS by health: heard lately, silent, never heard, or signing with another secret than their record has.',
  tollgate_nas_wrong_clocks:
    'Enabled NAS whose clock is off by more than a minute, by the Event-Timestamp of their accounting.',
  tollgate_coa_answers_total: 'Disconnect and CoA requests by the answer of the NAS.',
  tollgate_coa_seconds: 'Time from the first Disconnect or CoA request to its answer.',
  tollgate_coa_unanswered_in_a_row:
    'Disconnects that a NAS has left unanswered since its last answer; a NAS that answers is left out.',

  tollgate_actors_live: 'Actors in memory.',
  tollgate_actor_mailbox_depth: 'Turns that wait in all mailboxes together.',
  tollgate_actor_turn_seconds: 'Time of one turn of an actor, its commit included.',
  tollgate_commit_batch_turns: 'Turns committed by one statement.',
  tollgate_commit_seconds: 'Time of one group commit.',
  tollgate_commit_outcomes_total: 'Turns by what became of their commit.',
  tollgate_money_operations_total: 'Movements of money by what they are.',
  tollgate_money_rubles_total: 'Rubles moved, without a sign, by what they are.',
  tollgate_payments_total:
    'Notices of payment gateways by what became of them; forged and refused ones credit nothing, unavailable ones come again.',
  tollgate_promises_active: 'Promise payments that are not over.',
  tollgate_payment_orders_open: 'Online payments begun and neither paid nor closed.',
  tollgate_payment_problems_open: 'Notices of gateways that were not credited and that nobody has resolved.',
  tollgate_subscribers_blocked: 'Subscribers by block; one may have several.',
  tollgate_ledger_broken_accounts: 'Accounts that the last verify_ledger found broken.',
  tollgate_ledger_verified_timestamp_seconds: 'When the whole ledger was verified last, whatever was found.',
  tollgate_backup_timestamp_seconds: 'When the last backup was begun that was completed, by the job or the command.',
  tollgate_reports_wrong_parts:
    'Parts of the reports that the last verify_reports found different from the operations; they are summed up anew.',

  tollgate_doctor_findings:
    'What the doctor found to be wrong when it looked last, hourly or for somebody: warnings and failures.',

  tollgate_outbox_pending: 'Effects stored with a commit and not done yet.',
  tollgate_node_fenced:
    '1 while the heartbeat of this node does not reach the database, or another program has its name.',
  tollgate_node_others: 'Other nodes that are alive.',
  tollgate_node_log_lag_seconds: 'From the last commit of another node that was read until this one knew of it.',
  tollgate_node_standby_behind_seconds:
    'Age of the newest heartbeat of any node on the standby that an edge reads from, which come every second.',
  tollgate_node_foreign_commits_total: 'Accounts that other nodes have committed, as this one has read them.',
  tollgate_refunds: 'Refunds by gateways that are not done: asked, sent, or failed.',
  tollgate_refunds_oldest_seconds: 'Age of the oldest refund on its way.',
  tollgate_fiscal_receipts: 'Fiscal receipts that are not printed: to be sent, sent, or refused.',
  tollgate_fiscal_oldest_seconds: 'Age of the oldest fiscal receipt on its way.',
  tollgate_fiscal_calls_total: 'Calls of the fiscal data operator by its reply.',
  tollgate_fiscal_call_seconds: 'Time of one call of the fiscal data operator.',
  tollgate_messages_total:
    'Attempts to tell a client something: sent, refused for good, postponed, or given up as too old.',
  tollgate_messages_waiting: 'Messages to clients that are neither sent nor given up.',
  tollgate_webhook_attempts_total:
    'Attempts to deliver a webhook: delivered, postponed after a failure, or given up after the last one.',
  tollgate_webhooks_waiting: 'Webhooks that are neither delivered nor given up, to endpoints that are switched on.',
  tollgate_webhooks_oldest_seconds: 'Age of the oldest of them.',
  tollgate_webhook_endpoints:
    'Endpoints of webhooks: on, switched off by staff, gone by their own answer, or switched off because they failed for days.',
  tollgate_http_requests_total: 'HTTP requests by route.',
  tollgate_http_request_seconds: 'Time from the head of an HTTP request to its answer.',
  tollgate_password_tries_total:
    'Passwords tried: right, wrong, or refused unchecked because too many were wrong before. `password`: a change of password.',
  tollgate_password_locks: 'Owners at an address, invented names and addresses that are locked after wrong passwords.',
  tollgate_live_sockets: 'Open WebSockets.',
  tollgate_live_frames_total: 'WebSocket frames: sent, replaced by a newer one, or dropped for a slow client.',
  tollgate_live_cuts_total: 'WebSockets closed by us, by reason.',
  tollgate_database_up: '1 while PostgreSQL answers.',
  tollgate_database_connections: 'Connections of the pool.',
  tollgate_database_waiting: 'Statements that wait for a connection.',
  tollgate_job_runs_total: 'Runs of background jobs.',
  tollgate_job_seconds: 'Time of one run of a background job.',
  tollgate_job_last_success_timestamp_seconds: 'When a job last ended well.',
} as const

export type MetricName = keyof typeof help
