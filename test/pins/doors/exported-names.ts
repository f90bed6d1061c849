/** What each door exports: a name that is missing or new is a change of the API. */
export const EXPORTED_NAMES = {
  '.': {
    values: words`
      LOCAL OPERATOR TaskError aesGcmCodec createEngine createMemoryStore createServer createTaskClient isOpen
      isTaskError isTerminal isWorker openSqliteStore rekeySqliteStore statuses taskErrorCodes toRemainingMs
      toTaskError withCodec
    `,
    types: words`
      ActOptions Actor AesGcmCodec AesGcmCodecOptions Answer Artifact ArtifactHead ArtifactOptions ArtifactPart
      ArtifactPiece ArtifactPlace ArtifactRange Artifacts AskOptions AsyncToolOptions AttendOptions Audit AuditEntry
      AuditOption Backlog Build CallToolResult Change Changes ClientName Clock CodecKey Delivery DeliveryHandler Dialect
      Engine EngineOptions EngineTools ErrorTraits EventBody EventGap EventType FormQuestion HeldTask HoldOptions
      HoldfastServer HttpOptions Implementation InferredTools InlineResultOptions InputsOf Json JsonObjectSchema
      Jsonify Lease LimitOptions ListenOptions Listening LogLevel MemoryStoreOptions MessageLimits Outbox
      OutboxMessage Outcome OutcomeError OutcomeKind PayloadCodec PreparedCall Principal PrincipalLimitOptions
      ProcessExit ProcessGroupRef ProcessRef Profile Profiles Progress Question QuestionRequest RekeyOptions Relay RelayAudience
      RelayClient RelayParams RelayedNotification RelayedRequest RerunChanges ResultMode ResultOptions RetryOptions Rewritten
      RunResult Running SchemaInput SchemaOutput Secrets ServerOptions ServerTaskContext ServerTool SessionNote
      SessionRef SessionState Sessions SpawnOptions SpawnTaskProcessOptions SqliteStoreOptions StandardInput
      StandardIssue StandardOutput StandardResult StandardSchema Status SteadyReading Store StoreSecrets StoreTime StoreView StreamOption
      StreamOptions SubmitCall SubmitOptions Submitted Task TaskClient TaskClientOptions TaskClientSettings
      TaskContext TaskErrorCode TaskEvent TaskFilter TaskPage TaskProcess TaskStore Tool ToolAnnotations ToolInputs ToolRuns
      ToolSchema TraceContext VerifiedIdentity Verify WatchOptions WithCodecOptions WorkerInfo WorkerRegistry WorkerView
      WorkersChange
    `,
  },
  './app-kit': {
    values: words`
      LineReader cutText findCommand findForeignWriter isInside isObject listFolders makeDirectory makeDirectorySync
      openPlainFileSync openSqliteFile optionsParser reportToStderr resolveInside takeLockFile toOutcomeText warn
      withFileLock
    `,
    types: words`
      CommandPlace ConfineOptions LineOutline LineReaderOptions LockOptions OptionsParser OptionsPlace OptionsShape
      OutcomeStatus OutcomeText PlainFileOptions RefusalParams Schema SqliteFile SqliteFileOptions SqliteReader
      SqliteTransaction SqliteValue
    `,
  },
  './dashboard': {
    values: words`
      createDashboard
    `,
    types: words`
      Dashboard DashboardOptions DashboardVerify
    `,
  },
  './dialects': {
    values: words`
      RpcFailure invalidParams isLineFailure
    `,
    types: words`
      AnswerFate Answered AskedQuestions Asking AsyncTaskConfig AsyncToolConfig CallError CallHandle CallOutcome
      CallUpdate Caller CheckedCall Claim ClientConnection ClientFinder CompanionPrefix Dialect DialectAnswer
      DialectSettings DressedCall EarlyListener EarlyListenerOptions Era EventPoint FollowedConnection Follower
      Gone HeadlessMark HostDialect HostPlace HostPort IncomingCall InputCapabilities InputRequest Joining
      JsonObject MethodRequest NewDialectCall Notification OutgoingCall Params Profile QuestionChannel Reply
      RequestChannel ResourceListing ResultPolicy RpcResult Seal SendRead ServedMethod ServedResources
      ServedSubscriptions ServerDialect ServerFacts ServerPort ServerTask ShownTool SpecField SpecFields StoredCall StreamSettings Submission
      SubmissionAddition Submitted Subscription SubscriptionRequest ToldPoint ToolCall ToolListing ToolView
      Written
    `,
  },
  './gateway': {
    values: words`
      createGateway
    `,
    types: words`
      Gateway GatewayOptions InProcessServer ToolPolicy Upstream UpstreamState
    `,
  },
  './host': {
    values: words`
      createHost createMemoryLedger openSqliteLedger patientFetch rekeySqliteLedger withLedgerCodec
    `,
    types: words`
      AskedQuestion Call CallAnswer CallError CallFilter CallHandle CallOptions CallOutcome CallRecord
      CallUpdate ChildNote ChildNotes CodedLedger Dialect DialectFields EndedServer Host HostOptions
      HostQuestion HostTool HostToolAnnotations HttpSpec InputRequest JsonObject Ledger LedgerCodecOptions
      NewCall Notification PluginSpec ProcessRef RekeyLedgerOptions Reply RequestOptions ResumeOptions
      ServerInfo ServerSpec ServerTraits SqliteLedgerOptions StdioSpec StoppedCall StreamOption TransportSpec
    `,
  },
  './postgres': {
    values: words`
      openPostgresStore
    `,
    types: words`
      Clock PayloadCodec PostgresClient PostgresPool PostgresQuery PostgresResult PostgresStoreOptions Store
    `,
  },
  './store': {
    values: words`
      FORGOTTEN_AFTER_MS KEPT_HIGH_RATE_EVENTS LEARNED_RUNS ORPHAN_KEEP_MS StoreClock canRetire canSettle compareBytes
      countAtWork decideAnswer decideClaim decideCreate decideEnd decideRecovery decideRelease decideReserve
      decideSilence holdsLease isAnybodyNext isAtWorkStill isHighRate isLate isLimited isOpen isOver
      isSameTakeover isTerminal parseCursor refuseUnknownFields systemClock takeTurns toBodyText toCursor toEventBytes toExpired
      toFingerprint toFirstEvents toLateOutcome toProgress toSilence toStartBy toStepBytes toSure toTaskBytes toTextBytes toUntil
      toWriteEvents
    `,
    types: words`
      Actor Adopted Adoption Answer AnswerDecision AnswerResult ArtifactPiece ArtifactPlace Artifacts AttemptBody
      AttemptWrite Backlog Build Change Changes ClaimRequest Claimed ClientName Clock Contender CreateDecision
      CreateOptions CreateResult DeadWorker Deadlines Delivery EventBody EventType FinishedStep Heartbeat
      HeartbeatSource HighRateBody Hold HoldRelease Holds Json KeptTime Lease LeaseDecision LogLevel Lost NamedTexts
      Namesake NewHold NewServing NewTask NewWorker Outbox OutboxMessage OutboxTake Outcome OutcomeError OutcomeKind
      ProcessBody ProcessGroupRef ProcessRef ProgramInfo Programs Progress Question QuestionRequest Recovered
      RecoveryDecision Redaction Release RequeueReason Rerun ReserveDecision ReserveResult Runnable RunnableQueue
      ServingInfo SessionNote SessionRef SessionState Sessions SettleTarget Settled SettledOutcome Settlement Share
      Silence SilenceDecision SilenceRow SilentLook SlotWish Status SteadyReading Store StoreSecrets StoreTime
      SureLimits SuspectLimit SweepRequest Swept Task TaskEvent TaskFilter TaskPage TaskRef TaskStore TraceContext Turn
      Unleased WaitingMessage WorkerInfo WorkerKind WorkerRegistry WorkerState
    `,
  },
  './stream': {
    values: words`
      formatRunEvent toGapEvent toRunEvent watchRun
    `,
    types: words`
      LoggedEvent NewInLog RunEvent RunName WatchRunOptions WatchedRun
    `,
  },
  './testing': {
    values: words`
      armCrashPoint createFakeClock describeSharedStore describeStore recordCrashPoints storeContract until untilStatus
    `,
    types: words`
      CrashOptions CrashPointRecording FakeClock HoldTask OpenStore OpenTwo Seen StatusSource StoreCase TestRunner
      UntilOptions
    `,
  },
  './ui-prompts': {
    values: words`
      LEGACY_PREFIX LOG_NAME createPromptLog explainWait readTaskStore toActive toPending writeStoredTask
    `,
    types: words`
      ExplainOptions PromptEntry PromptKind PromptLog PromptLogOptions RequestEntry ResponseEntry ResultPrompt
      ResultStatus StoredStatus StoredTask WaitExplanation WaitReason
    `,
  },
} satisfies Readonly<Record<string, { values: readonly string[]; types: readonly string[] }>>;

function words([text = '']: TemplateStringsArray): readonly string[] {
  return text.trim().split(/\s+/);
}
