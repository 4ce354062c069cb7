"""Every sprig function: its module, its parameters, its result.

A line is `names = module.function parameters > result`. Parameter types are names of TYPES in
`krmkit.libraries.go.core.functions` or Go's own; `...` before the last one means any number of arguments.
A method of `str` gets the last argument as its text.
"""

from __future__ import annotations

FUNCTIONS = """\
hello = strings.hello > string

trim = go.core.text.trim_space string > string
trimAll trimall = str.strip string string > string
trimPrefix = str.removeprefix string string > string
trimSuffix = str.removesuffix string string > string
upper = go.core.text.to_upper string > string
lower = go.core.text.to_lower string > string
title = cases.to_title string > string
untitle = cases.untitle string > string
swapcase = cases.swapcase string > string
initials = cases.initials string > string
nospace = cases.nospace string > string
camelcase = cases.camelcase string > string
snakecase = cases.snakecase string > string
kebabcase = cases.kebabcase string > string
repeat = strings.repeat int string > string
substr = strings.substr int int string > string
trunc = strings.trunc int string > string
abbrev = strings.abbrev int string > string
abbrevboth = strings.abbrev_both int int string > string
wrap = strings.wrap int string > string
wrapWith = strings.wrap_with int string string > string
contains = str.__contains__ string string > bool
hasPrefix = str.startswith string string > bool
hasSuffix = str.endswith string string > bool
quote = strings.quote ...any > string
squote = strings.squote ...any > string
cat = strings.cat ...any > string
indent = strings.indent int string > string
nindent = strings.nindent int string > string
replace = strings.replace string string string > string
plural = strings.plural string string int > string
toString = strings.to_string any > string

join = strings.join string any > string
splitList = strings.split_list string string > []string
split = strings.split string string > map[string]string
splitn = strings.splitn string int string > map[string]string
sortAlpha = strings.sort_alpha any > []string
toStrings = strings.to_strings any > []string

add = numbers.add ...any > int64
add1 = numbers.add1 any > int64
sub = numbers.sub any any > int64
mul = numbers.mul any ...any > int64
div = numbers.div any any > int64
mod = numbers.mod any any > int64
max biggest = numbers.largest any ...any > int64
min = numbers.smallest any ...any > int64
int = go.core.cast.to_int64 any > int
int64 = numbers.int64 any > int64
float64 = go.core.cast.to_float any > float64
atoi = numbers.atoi string > int
toDecimal = numbers.to_decimal any > int64
addf = decimals.add_float ...any > float64
add1f = decimals.add1_float any > float64
subf = decimals.sub_float any ...any > float64
mulf = decimals.mul_float any ...any > float64
divf = decimals.div_float any ...any > float64
maxf = numbers.largest_float any ...any > float64
minf = numbers.smallest_float any ...any > float64
floor = numbers.floor any > float64
ceil = numbers.ceil any > float64
round = numbers.round_to any int ...float64 > float64
until = numbers.until int > []int
untilStep = numbers.until_step int int int > []int
seq = numbers.seq ...int > string

default = defaults.default any ...any
empty = defaults.empty any > bool
coalesce = defaults.coalesce ...any
all = defaults.all_given ...any > bool
any = defaults.any_given ...any > bool
ternary = defaults.ternary any any bool
fail = defaults.fail string > string

toJson = go.json.functions.to_json any > string
toPrettyJson = go.json.functions.to_pretty_json any > string
mustToJson = go.json.functions.must_to_json any > string
mustToPrettyJson = go.json.functions.must_to_pretty_json any > string
toRawJson mustToRawJson = go.json.functions.must_to_raw_json any > string
fromJson = go.json.functions.from_json string
mustFromJson = go.json.functions.must_from_json string

b64enc = encoding.base64_encode string > string
b64dec = encoding.base64_decode string > string
b32enc = encoding.base32_encode string > string
b32dec = encoding.base32_decode string > string
sha1sum = encoding.sha1_sum string > string
sha256sum = encoding.sha256_sum string > string
sha512sum = encoding.sha512_sum string > string
adler32sum = encoding.adler32_sum string > string

list tuple = lists.make_list ...any > list
append push mustAppend mustPush = lists.push any any > list
prepend mustPrepend = lists.prepend any any > list
first mustFirst = lists.first any
last mustLast = lists.last any
rest mustRest = lists.rest any > list
initial mustInitial = lists.initial any > list
reverse mustReverse = lists.reverse any > list
compact mustCompact = lists.compact any > list
uniq mustUniq = lists.uniq any > list
without mustWithout = lists.without any ...any > list
has mustHas = lists.has any any > bool
slice mustSlice = lists.cut any ...any
concat = lists.concat ...any
chunk mustChunk = lists.chunk int any > [][]interface {}

dict = dicts.make_dict ...any > map
get = dicts.get map string
set = dicts.set_key map string any > map
unset = dicts.unset map string > map
hasKey = dicts.has_key map string > bool
pluck = dicts.pluck string ...map > list
keys = dicts.keys ...map > []string
values = dicts.values map > list
pick = dicts.pick map ...string > map
omit = dicts.omit map ...string > map
dig = dicts.dig ...any
deepCopy mustDeepCopy = dicts.deep_copy any
merge mustMerge = dicts.merge map ...map
mergeOverwrite mustMergeOverwrite = dicts.merge_overwrite map ...map

typeOf = go.core.values.type_of any > string
typeIs = compare.type_is string any > bool
typeIsLike = compare.type_is_like string any > bool
kindOf = go.core.values.kind_of any > string
kindIs = compare.kind_is string any > bool
deepEqual = compare.deep_equal any any > bool

base osBase = paths.base string > string
dir osDir = paths.directory string > string
clean osClean = paths.clean string > string
ext osExt = paths.ext string > string
isAbs osIsAbs = paths.is_abs string > bool

regexMatch = go.regexp.functions.match string string > bool
mustRegexMatch = go.regexp.functions.must_match string string > bool
regexFind = go.regexp.functions.find string string > string
mustRegexFind = go.regexp.functions.must_find string string > string
regexFindAll = go.regexp.functions.find_all string string int > []string
mustRegexFindAll = go.regexp.functions.must_find_all string string int > []string
regexReplaceAll = go.regexp.functions.replace_all string string string > string
mustRegexReplaceAll = go.regexp.functions.must_replace_all string string string > string
regexReplaceAllLiteral = go.regexp.functions.replace_all_literal string string string > string
mustRegexReplaceAllLiteral = go.regexp.functions.must_replace_all_literal string string string > string
regexSplit = go.regexp.functions.split string string int > []string
mustRegexSplit = go.regexp.functions.must_split string string int > []string
regexQuoteMeta = go.regexp.functions.quote_meta string > string

semver = semvers.semver string > *semver.Version
semverCompare = semvers.semver_compare string string > bool

urlParse = go.net.url.url_parse string > map
urlJoin = go.net.url.url_join map > string

date = dates.date string any > string
dateInZone date_in_zone = dates.date_in_zone string any string > string
htmlDate = dates.html_date any > string
htmlDateInZone = dates.html_date_in_zone any string > string
dateModify date_modify = dates.date_modify string time > time
mustDateModify must_date_modify = dates.must_date_modify string time > time
toDate = dates.to_date string string > time
mustToDate = dates.must_to_date string string > time
unixEpoch = dates.unix_epoch time > string
duration = dates.duration any > string
durationRound = dates.duration_round any > string
now = refused.now > time
ago = refused.ago any > string

derivePassword = crypto.derive_password int string string string string > string
htpasswd = crypto.htpasswd string string ...string > string
decryptAES = crypto.decrypt_aes string string > string
buildCustomCert = crypto.build_custom_cert string string > sprig.certificate

randAlphaNum randAlpha randAscii randNumeric = refused.random int > string
randBytes = refused.random int > string
randInt = refused.random int int > int
uuidv4 = refused.random > string
shuffle = refused.shuffle string > string
bcrypt = refused.keys string > string
encryptAES = refused.keys string string > string
genPrivateKey = refused.private_key string > string
genCA = refused.keys string int > sprig.certificate
genCAWithKey = refused.keys string int string > sprig.certificate
genSelfSignedCert = refused.keys string list list int > sprig.certificate
genSelfSignedCertWithKey = refused.keys string list list int string > sprig.certificate
genSignedCert = refused.keys string list list int sprig.certificate > sprig.certificate
genSignedCertWithKey = refused.keys string list list int sprig.certificate string > sprig.certificate
getHostByName = refused.host_by_name string > string
"""

LANDSCAPER = """\
toYaml = go.yaml.to_yaml any > string
fromYaml = go.yaml.from_yaml string
"""

NOT_HERMETIC = frozenset(
    "date date_in_zone date_modify now htmlDate htmlDateInZone dateInZone dateModify randAlphaNum randAlpha randAscii "
    "randNumeric randBytes uuidv4 getHostByName".split()
)
"""The functions that sprig's HermeticTxtFuncMap, which Cluster API uses, leaves out."""
