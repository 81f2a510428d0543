<#macro row cells>
| <#list cells as cell>${escape(cell)}<#sep> | </#list> |
</#macro>
<#macro table content>

<@row content.headers/>
| <#list content.figureColumns() as figures>${figures?then("--:", "---")}<#sep> | </#list> |
<#list content.rows as cells>
<@row cells/>
</#list>
</#macro>
# ${escape(report.title)}
<#list report.sections as section>

## ${escape(section.title)}
<#list section.blocks as block>
<#switch block.kind()>
<#case "text">

${escape(block.text)}
<#break>
<#case "missing">

> **Missing:** ${escape(block.text)}
<#break>
<#case "code">

${fence(block.text)}
${block.text?replace("\\s+$", "", "r")}
${fence(block.text)}
<#break>
<#case "table">
<@table block/>
<#break>
<#case "plot">

**${escape(block.title)}** (${escape(block.y.label)})
<#if block.isEmpty()>

> ${nothingToDraw}
</#if>
<#if block.figures().rows?has_content>
<@table block.figures()/>
</#if>
<#break>
</#switch>
</#list>
</#list>
