# ruff: noqa: E501 - a row is one line
"""The table of secrets: kind, literals, pattern, sample. One row, one kind of secret.

A row's pattern runs only where one of its literals occurs, and is compiled only then. `(?i)` rows have their literals
in lower case. Group 1, if there is one, is what is replaced; otherwise the whole match is. With a group `v` (or `q`,
quoted), dreamhook.scrub.judge is asked whether that is a secret. Samples: `{an36}` = 36 characters of that alphabet
(tests/unit/fake_tokens.py), so that no whole token is ever written in a file.

Formats are facts from gitleaks (config/gitleaks.toml, MIT licence, Copyright (c) 2019 Zachary Rice) and the vendors' documentation;
the patterns are written for this project and each is linear: it starts with a literal, and what follows is one bounded run.
"""

import re
from functools import cache

# Not inside a word; after a JSON escape (`\n` as two characters) the letter before is not part of one.
_B = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"
_E = r"(?![A-Za-z0-9])"
_S = r"[ \t]{0,8}+"
_VALUE = r"(?:(?P<d>\\{0,8}+[\"'`])(?P<q>(?:\\.|[^\\\n]){1,256}?)(?P=d)|(?P<v>[^\s\"'`\\,;<>|&()\[\]]{1,4096}+)(?P<after>[(\[]?))"
KEYWORD = (
    r"(?:passw(?:or)?d|passw|passphrase|[_-]pass(?![a-z])|pwd|secret|token|credential|(?<![a-z])auth(?![a-z])|connection_?string|"
    r"(?:api|access|private|account|auth|signing|encryption|subscription|license|master)[_.-]{0,3}key)"
)

Rule = tuple[str, str, str, str]

RULES: tuple[Rule, ...] = (
    # kind, literals, pattern, sample
    ("private-key", "-----BEGIN", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)", "-----BEGIN PRIVATE {=KEY}-----\n{b64:64}\n{b64:64}\n-----END PRIVATE {=KEY}-----"),
    ("aws-key-id", "AKIA ASIA ABIA ACCA A3T", _B + r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}" + _E, "AKIA{up16}"),
    ("aws-bedrock", "ABSK", _B + r"ABSK[A-Za-z0-9]{12}[A-Za-z0-9+/]{90,260}={0,2}", "ABSK{an12}{b64:110}"),
    ("aws-bedrock", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9]{20}[A-Za-z0-9+/=_-]{0,4000}", "bedrock-api-key-{an60}"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[0-9A-Za-z]{36,255}", "ghp_{an36}"),
    ("github", "github_pat_", r"github_pat_\w{60,255}", "github_pat_{an22}_{an59}"),
    ("gitlab", "glpat- gldt- glrt- glft- glsoat- glffct- glptt- glimt- glagent- gloas-", r"gl(?:pat|dt|rt|ft|soat|ffct|ptt|imt|agent|oas)-[\w-]{20,300}(?:\.[\w.-]{9,20})?", "glpat-{an20}"),
    ("gitlab", "glcbt-", r"glcbt-[\w-]{1,5}_[\w-]{20,64}", "glcbt-64_{an20}"),
    ("gitlab", "GR1348941", r"GR1348941[\w-]{20,64}", "GR1348941{an20}"),
    ("gitlab", "_gitlab_session", r"_gitlab_session=([0-9a-f]{32,128})", "_gitlab_session={hex32}"),
    ("anthropic", "sk-ant-", r"sk-ant-[a-z0-9]{2,12}-[\w-]{20,512}", "sk-ant-api03-{an93}AA"),
    ("openai", "sk-proj- sk-svcacct- sk-admin-", r"sk-(?:proj|svcacct|admin)-[\w-]{20,512}", "sk-proj-{an58}T3BlbkFJ{an58}"),
    ("openai", "T3BlbkFJ", r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}", "sk-{an20}T3BlbkFJ{an20}"),
    ("openrouter", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}", "sk-or-v1-{hex64}"),
    ("sk-key", "sk-", _B + r"sk-[A-Za-z0-9]{32,128}", "sk-{hex32}"),
    ("slack", "xoxb- xoxp- xoxe xoxo- xoxs- xoxa- xoxr-", r"xox[bpeosar](?:\.xox[bp])?-[A-Za-z0-9-]{20,300}", "xoxb-{d12}-{d12}-{an24}"),
    ("slack", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,200}", "xapp-1-A{d10}-{d13}-{hex64}"),
    ("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,80})", "https://hooks.slack.com/services/T{an10}/B{an10}/{an24}"),
    ("stripe", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,99}", "sk_live_{an24}"),
    ("stripe", "whsec_", r"whsec_[A-Za-z0-9+/]{24,64}", "whsec_{an32}"),
    ("google", "AIza", _B + r"AIza[\w-]{35}", "AIza{an35}"),
    ("google", "ya29.", r"ya29\.[\w-]{20,512}", "ya29.{an60}"),
    ("google", "GOCSPX-", r"GOCSPX-[\w-]{28}", "GOCSPX-{an28}"),
    ("google", "1//0", _B + r"1//0[\w-]{30,256}", "1//0{an60}"),
    ("npm", "npm_", r"npm_[A-Za-z0-9]{36}", "npm_{an36}"),
    ("pypi", "pypi-AgE", r"pypi-AgE[\w-]{50,1000}", "pypi-AgEIcHlwaS5vcmc{an80}"),
    ("huggingface", "hf_ api_org_", _B + r"(?:hf|api_org)_[A-Za-z0-9]{34,40}" + _E, "hf_{az34}"),
    ("jwt", ".eyJ", r"(?:(?<![\w-])|(?<=\\[nrtbf]))ey[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{5,}+(?:\.[A-Za-z0-9_-]*+)?", "eyJ{an30}.eyJ{an30}.{an43}"),
    ("sendgrid", "SG.", _B + r"SG\.[\w-]{16,32}\.[\w-]{30,64}", "SG.{an22}.{an43}"),
    ("twilio", "SK", _B + r"SK[0-9a-f]{32}" + _E, "SK{hex32}"),
    ("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[0-9a-f]{64}", "dop_v1_{hex64}"),
    ("databricks", "dapi", _B + r"dapi[0-9a-f]{32}(?:-\d)?", "dapi{hex32}"),
    ("vault", "hvs. hvb.", _B + r"hv[sb]\.[\w-]{80,320}", "hvs.{an95}"),
    ("terraform", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}", "{an14}.atlasv1.{an64}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "shpat_{hex32}"),
    ("azure", "Q~", r"[\w~.]{3}\dQ~[\w~.-]{31,34}", "{az3}8Q~{an34}"),
    ("azure", "sig=", r"(?i)[?&;\\\"']sig=([a-z0-9%/+=_-]{20,200})", "https://acct.blob.core.windows.net/c?sv=2024&sig={an43}%3D"),
    ("notion", "ntn_", r"ntn_\d{11}[A-Za-z0-9]{35}", "ntn_{d11}{an35}"),
    ("linear", "lin_api_", r"lin_api_[A-Za-z0-9]{40}", "lin_api_{an40}"),
    ("postman", "PMAK-", r"PMAK-[0-9a-fA-F]{24}-[0-9a-fA-F]{34}", "PMAK-{hex24}-{hex34}"),
    ("pulumi", "pul-", _B + r"pul-[0-9a-f]{40}", "pul-{hex40}"),
    ("rubygems", "rubygems_", r"rubygems_[0-9a-f]{48}", "rubygems_{hex48}"),
    ("grafana", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", "glsa_{an32}_{hex8}"),
    ("grafana", "glc_", r"glc_[A-Za-z0-9]{12}[A-Za-z0-9+/]{20,400}={0,2}", "glc_{an12}{b64:60}"),
    ("grafana", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9]{12}[A-Za-z0-9+/]{40,400}={0,2}", "eyJrIjoi{an90}"),
    ("onepassword", "ops_eyJ", r"ops_eyJ[A-Za-z0-9]{12}[A-Za-z0-9+/]{200,2000}={0,3}", "ops_eyJ{an260}"),
    ("age", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "AGE-SECRET-KEY-1{up58}"),
    ("doppler", "dp.pt.", r"dp\.pt\.[A-Za-z0-9]{40,50}", "dp.pt.{an43}"),
    ("sentry", "sntryu_", r"sntryu_[0-9a-f]{64}", "sntryu_{hex64}"),
    ("sentry", "sntrys_", r"sntrys_[A-Za-z0-9]{12}[\w+/=-]{30,500}", "sntrys_{an100}"),
    ("perplexity", "pplx-", r"pplx-[A-Za-z0-9]{40,64}", "pplx-{an48}"),
    ("planetscale", "pscale_", r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}", "pscale_tkn_{an43}"),
    ("fly", "fo1_ fm1r_ fm1a_ fm2_", r"f(?:o1|m1r|m1a|m2)_[A-Za-z0-9]{12}[\w+/=-]{28,1000}", "fo1_{an43}"),
    ("square", "sq0atp- sq0csp-", r"sq0(?:atp|csp)-[\w-]{22,60}", "sq0atp-{an22}"),
    ("atlassian", "ATATT3", r"ATATT3[\w=-]{60,250}", "ATATT3{an186}"),
    ("telegram", ":AA", r"(?:(?<!\d)|(?<=\\[nrtbf]))\d{8,10}:AA[\w-]{33}(?![\w-])", "{d10}:AA{an33}"),
    ("xai", "xai-", _B + r"xai-[A-Za-z0-9]{60,100}", "xai-{an80}"),
    ("groq", "gsk_", r"gsk_[A-Za-z0-9]{40,60}", "gsk_{an52}"),
    ("replicate", "r8_", _B + r"r8_[A-Za-z0-9]{37}", "r8_{an37}"),
    ("nvidia", "nvapi-", r"nvapi-[\w-]{50,100}", "nvapi-{an64}"),
    ("tavily", "tvly-", r"tvly-[A-Za-z0-9-]{20,64}", "tvly-{an32}"),
    ("supabase", "sbp_", r"sbp_[0-9a-f]{40}", "sbp_{hex40}"),
    ("mailgun", "key-", _B + r"key-[0-9a-f]{32}" + _E, "key-{hex32}"),
    # by context
    ("url-password", "://", r"://(?!\\)[^\s/@:\"'<>`\\]{0,128}:(?P<v>[^\s/\"'<>`\\]{1,512})@(?!sha(?:256|512):)", "neo4j+s://neo4j:{an16}@db.example.com:7687/x"),
    ("url-token", "://", r"://(?P<v>[A-Za-z0-9_-]{32,256})@", "https://{hex32}@git.example.com/x.git"),
    ("header", "auth", r"(?i)authorization\\{0,8}[\"'\]]?" + _S + r"(?:=>|[:=]|(?<=[\"']),)" + _S + r"\\{0,8}[\"'`]?(?:(?:bearer|basic|token|apikey|bot|negotiate|key|aws4-hmac-sha256)[ ]{1,8})?(?P<v>[^\s\"'`\\,;<>]{4,4096})", "Authorization: Bearer {an40}"),
    ("header", "auth", r"(?i)authorization\\{0,8}[\"'\]]?" + _S + r"[:=]" + _S + r"\\{0,8}[\"'`]?(?:digest|aws4-hmac-sha256|oauth)[ ]{1,8}([^\n\r\\]{8,2000})", "Authorization: Digest username=me, realm=x, response={hex32}"),
    ("header", "bearer ", r"(?i)bearer[ ]{1,8}(?P<v>[a-z0-9._~+/=-]{16,4096})", "Bearer {an40}"),
    ("cookie", "cookie", r"(?i)cookie\\{0,8}[\"']?" + _S + r":" + _S + r"\\{0,8}[\"']?([^\s\"'\\=;:(){}]{1,128}=[^\r\n\"'\\]{4,4096})", "Set-Cookie: session={an32}; Path=/"),
    ("curl-user", "curl", r"(?:(?<=\s)|(?<=\\[nrt]))(?:-u|--user)[ =]?\\{0,8}[\"']?[^\s:\"'$\\]{1,64}:(?P<v>[^\s\"'\\]{1,256})", "curl -u admin:{an16} https://example.com"),
    ("mysql-password", "mysql sshpass", r"(?:mysql(?:dump|admin)?|sshpass)(?:[ ][^\s|;&]{1,60}){0,6}?[ ]-p[ ]?[\"']?(?P<v>[^\s\"'\\]{4,128})", "mysqldump -u root -p{an16} shop"),
    ("netrc", "login", r"login[ \t]{1,8}\S{1,100}(?:\s|\\n|\\t){1,8}password[ \t]{1,8}(?P<v>[^\s\"'\\]{1,200})", "machine example.com login me password {an16}"),
    ("connection-key", "accountkey sharedaccesskey", r"(?i)(?:account|sharedaccess)key=([a-z0-9+/=%]{20,200})", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={b64:86}=="),
    ("neo4j-auth", "neo4j_auth", r"(?i)neo4j_auth\\{0,8}[\"']?" + _S + r"[=:]" + _S + r"\\{0,8}[\"']?neo4j/(?P<v>[^\s\"'\\]{1,256})", "NEO4J_AUTH=neo4j/{an16}"),
    ("assignment", "passw passphrase _pass -pass pwd secret token credential auth connectionstring connection_string key", r"(?i)" + KEYWORD + r"(?P<tail>[\w.-]{0,40}+)(?P<close>\\{0,8}+[\"'`]?\]?)" + _S + r"(?P<sep>:[ \t]{0,4}[a-z_][a-z0-9_.\[\]|]{0,30}+[ \t]{0,4}=(?!=)|[!:+]?={1,3}>?|:|,(?=[ \t]{0,4}\\{0,8}[\"'`])|>(?=[^<>\s]{4,200}</)|(?<=[ \t]))" + _S + _VALUE, "NEO4J_PASSWORD={an20}"),
)  # fmt: skip


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """ASCII only: `\\w` and `(?i)` must mean here what they mean to literals.suspicious."""
    return re.compile(pattern, re.A)
